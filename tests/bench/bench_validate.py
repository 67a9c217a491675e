"""Validation of much: a thousand files of a hundred lines, one file of ten thousand items."""

import tempfile
from pathlib import Path

from tests.bench.measure import FORGE, best

FILES = 1_000
ITEMS = 10_000


def items(count: int) -> str:
    """A manifest of so many items, each after the one before."""
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
    """Print both costs beside their limits."""
    with tempfile.TemporaryDirectory() as folder:
        many, large = Path(folder) / "many", Path(folder) / "large.forge.yaml"
        many.mkdir()
        for number in range(FILES):
            (many / f"m{number}.forge.yaml").write_text(items(25), "utf-8")
        large.write_text(items(ITEMS), "utf-8")
        files = best([*FORGE, "validate", str(many)], 3)
        one = best([*FORGE, "validate", str(large)], 3)
    print(f"{FILES} files      {files.wall:7.2f} s (at most 1.5)")
    print(f"{ITEMS} items     {one.wall:7.2f} s (at most 1.5) {one.peak:7.0f} MiB (at most 100)")


if __name__ == "__main__":
    main()
