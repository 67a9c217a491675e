"""Validation of one file, of a thousand, and of ten thousand items, beside what people use now.

check-jsonschema holds the same files against forge's own JSON Schema, yamllint looks at their YAML:
both do a part of what `forge validate` does.
"""

import subprocess
import tempfile
from pathlib import Path

from tests.bench.measure import Cost, bare, environment, installed, report, side_by_side

HELLO = "forge: 1\nwork_items:\n  hello:\n    run: [echo, hello]\n    capabilities: []\n"
RIVALS = ("check-jsonschema", "yamllint")
FILES = 1_000
ITEMS = 10_000


def items(count: int) -> str:
    """A manifest of so many items, each after the one before: four lines an item."""
    lines = ["forge: 1", "work_items:"]
    for number in range(count):
        lines += [
            f"  item-{number}:",
            "    run: [echo, hello]",
            "    capabilities: [repository-read]",
        ]
        if number:
            lines.append(f"    depends_on: [item-{number - 1}]")
    return "\n".join(lines) + "\n"


def written(folder: Path) -> dict[str, list[str]]:
    """The files to check, by what they are."""
    one, large = folder / "hello.forge.yaml", folder / "large.forge.yaml"
    one.write_text(HELLO, "utf-8")
    large.write_text(items(ITEMS), "utf-8")
    many = [folder / f"m{number}.forge.yaml" for number in range(FILES)]
    for path in many:
        path.write_text(items(25), "utf-8")
    return {
        "one small file": [str(one)],
        f"{FILES:,} files": list(map(str, many)),
        f"{ITEMS:,} items": [str(large)],
    }


def commands(folder: Path) -> dict[str, list[str]]:
    """Each tool's command line, without the files."""
    forge, rivals = installed(), environment("bench-rivals", *RIVALS)
    schema = folder / "manifest.schema.json"
    schema.write_bytes(subprocess.run([forge, "schema"], capture_output=True, check=True).stdout)
    return {
        "forge validate": [forge, "validate"],
        "check-jsonschema": [str(rivals / "check-jsonschema"), "--schemafile", str(schema)],
        "yamllint": [str(rivals / "yamllint"), "--no-warnings"],
    }


PROMISED = {
    "one small file": ("at most 6 times bare Python", 21),
    f"{FILES:,} files": ("at most 1.5 s", 2),
    f"{ITEMS:,} items": ("at most 1.5 s and 100 MiB", 2),
}
"""What is promised of forge, and how often it is measured."""


def main() -> None:
    """Print what each tool takes for the same files, taking turns, and how many times forge's."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tools = commands(folder)
        for what, paths in written(folder).items():
            promised, times = PROMISED[what]
            lines = [bare(), *([*tool, *paths] for tool in tools.values())]
            python, forge, *rivals = side_by_side(lines, times)
            report(f"forge validate, {what}", _figure(forge, python), promised)
            for tool, cost in zip(RIVALS, rivals, strict=True):
                report(f"{tool}, {what}", f"{cost.wall / forge.wall:.1f} times forge's", "")


def _figure(cost: Cost, python: Cost) -> str:
    return f"{cost.wall:.2f} s ({cost.wall / python.wall:.1f}x), {cost.peak:.0f} MiB"


if __name__ == "__main__":
    main()
