"""Validation of much: a thousand files of a hundred lines, one file of ten thousand items."""

import tempfile
from pathlib import Path

from tests.bench.measure import Cost, bare, installed, middle, report

FILES = 1_000
ITEMS = 10_000
TIMES = 3


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


def main() -> None:
    """Print both costs beside what is promised, and how many times bare Python they are."""
    forge = installed()
    python = middle(bare(), 9)
    with tempfile.TemporaryDirectory() as folder:
        many, large = Path(folder) / "many", Path(folder) / "large.forge.yaml"
        many.mkdir()
        for number in range(FILES):
            (many / f"m{number}.forge.yaml").write_text(items(25), "utf-8")
        large.write_text(items(ITEMS), "utf-8")
        files = middle([forge, "validate", str(many)], TIMES)
        one = middle([forge, "validate", str(large)], TIMES)
    report(f"validate, {FILES:,} files", _figure(files, python), "at most 1.5 s")
    report(f"validate, {ITEMS:,} items", _figure(one, python), "at most 1.5 s and 100 MiB")


def _figure(cost: Cost, python: Cost) -> str:
    return f"{cost.wall:.2f} s ({cost.wall / python.wall:.0f}x), {cost.peak:.0f} MiB"


if __name__ == "__main__":
    main()
