"""Runs of no-op function items, durable, with evidence and verification: processor time an item.

Counted is the whole process tree: start, parsing, validation, compiling, the run, its workers and
their guards, the evidence and its verification. With `--large` also runs of 100,000 items, with
`--small` only of 1,000.
"""

import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.bench.measure import Cost, installed, measure, median, pace, report

HEAD = """\
forge: 1
settings: {{max_concurrency: {concurrency}}}
roles:
  worker:
    capabilities: []
    handler: {{kind: function, call: "handlers.py:nothing"}}
work_items:
"""
HANDLERS = "def nothing(turn):\n    return {'result': 0}\n"
TIMES = 3


def elements(count: int) -> str:
    """One item, for each of so many elements."""
    numbers = ", ".join(map(str, range(count)))
    return f"  many:\n    role: worker\n    for_each: [{numbers}]\n    outputs: [result]\n"


def separate(count: int) -> str:
    """So many items, written out."""
    return "".join(f"  i{number}: {{role: worker}}\n" for number in range(count))


def cost_of(forge: str, shape: Callable[[int], str], count: int, concurrency: int) -> Cost:
    """What runs of so many items cost, so many at a time."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "handlers.py").write_text(HANDLERS, "utf-8")
        text = HEAD.format(concurrency=concurrency) + shape(count)
        (folder / "many.forge.yaml").write_text(text, "utf-8")
        return median([_run(forge, folder) for _ in range(TIMES)])


def _run(forge: str, folder: Path) -> Cost:
    for kept in (".forge", "evidence"):
        shutil.rmtree(folder / kept, ignore_errors=True)
    return measure([forge, "run", "many.forge.yaml", "--workspace", "."], folder)


def main() -> None:
    """Print the cost of both shapes, and with --large how it grows."""
    forge = installed()
    count = 1_000 if "--small" in sys.argv else 10_000
    report("a step of an empty loop", f"{pace():.1f} ns", "if more than usual, the machine is busy")
    for shape in (separate, elements):
        for concurrency in (4, 16):
            small = cost_of(forge, shape, count, concurrency)
            name = f"{count:,} {shape.__name__}, {concurrency} at a time"
            report(name, _figure(small, count), "at most 300 us of CPU an item, aim 150")
        if "--large" in sys.argv:
            large = cost_of(forge, shape, 10 * count, concurrency)
            growth = large.cpu / small.cpu / 10
            report(f"{10 * count:,}", _figure(large, 10 * count), f"{growth:.2f} (at most 1.2)")


def _figure(cost: Cost, count: int) -> str:
    return f"{cost.cpu / count * 1e6:.0f} us, {cost.peak:.0f} MiB"


if __name__ == "__main__":
    main()
