"""Runs of no-op function items, durable, with evidence and verification: processor time an item.

Counted is the whole process tree: start, parsing, validation, compiling, the run, its workers and
their guards, the evidence and its verification. With `--large` also runs of 100,000 items, and how
soon one that paused behind them goes on; with `--small` only of 1,000.
"""

import shutil
import subprocess
import sys
import tempfile
import time
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
PAUSED = 4


def elements(count: int) -> str:
    """One item, for each of so many elements."""
    numbers = ", ".join(map(str, range(count)))
    return f"  many:\n    role: worker\n    for_each: [{numbers}]\n    outputs: [result]\n"


def separate(count: int) -> str:
    """So many items, written out."""
    return "".join(f"  i{number}: {{role: worker}}\n" for number in range(count))


def chain(count: int) -> str:
    """So many items, one after the other."""
    rest = (f"  i{n}: {{role: worker, depends_on: [i{n - 1}]}}\n" for n in range(1, count))
    return "".join(["  i0: {role: worker}\n", *rest])


def before_approval(count: int) -> str:
    """So many elements, and an item behind them that waits for a person."""
    return f"{elements(count)}  last: {{role: worker, depends_on: [many], approval: required}}\n"


def cost_of(forge: str, shape: Callable[[int], str], count: int, concurrency: int) -> Cost:
    """What runs of so many items cost, so many at a time."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, shape(count), concurrency)
        return median([_run(forge, folder) for _ in range(TIMES)])


def write(folder: Path, items: str, concurrency: int) -> None:
    """Write the manifest with these items, and their handler."""
    (folder / "handlers.py").write_text(HANDLERS, "utf-8")
    text = HEAD.format(concurrency=concurrency) + items
    (folder / "many.forge.yaml").write_text(text, "utf-8")


def going_on(forge: str, count: int) -> tuple[float, float]:
    """Seconds until a run of so many items goes on, and until it has ended with its evidence."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, before_approval(count), 16)
        measure([forge, "run", "many.forge.yaml", "--workspace", "."], folder, ends=(PAUSED,))
        began = time.monotonic()
        command = [forge, "resume", "--deny", "last", "--workspace", ".", "--format", "jsonl"]
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE) as process:
            assert process.stdout
            process.stdout.readline()
            goes_on = time.monotonic() - began
            process.stdout.read()
        return goes_on, time.monotonic() - began


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
    report("1,000 in a chain", _figure(cost_of(forge, chain, 1_000, 4), 1_000), "")
    if "--large" in sys.argv:
        goes_on, ended = going_on(forge, 10 * count)
        figure = f"{goes_on:.1f} s, {ended:.1f} s to its end"
        report(f"a run of {10 * count:,} goes on after", figure, "at most 5 s")


def _figure(cost: Cost, count: int) -> str:
    return f"{cost.cpu / count * 1e6:.0f} us, {cost.peak:.0f} MiB"


if __name__ == "__main__":
    main()
