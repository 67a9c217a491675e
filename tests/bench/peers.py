"""The same graphs with forge and with LangGraph and its SQLite checkpointer, in one go, as ratios.

A fan-out and a chain of nodes that do nothing, of 100, 1,000 and 4,000 items, four at a time. Both
acknowledge a step after SQLite synced it (WAL, `synchronous=FULL`): forge always does, LangGraph is
told to (`durability="sync"`). What LangGraph does not do is in forge's figures: worker processes,
evidence and its verification. LangGraph is fetched into an environment of its own. With `--small`
only 100 items.
"""

import sys
import tempfile
from pathlib import Path

from tests.bench.measure import (
    ROOT,
    Cost,
    environment,
    installed,
    measure,
    measure_within,
    pace,
    report,
)
from tests.bench.run import chain, elements, write

PACKAGES = ("langgraph", "langgraph-checkpoint-sqlite")
SIZES = (100, 1_000, 4_000)
SHAPES = {"fan-out": elements, "chain": chain}
PATIENCE = 300
"""Seconds after which a peer's case is given up."""

_PEER = ROOT / "tests" / "bench" / "peer.py"


def main() -> None:
    """Print, for each graph, what both cost and how many times as much the peer does."""
    forge, peer = installed(), environment("bench-peers", *PACKAGES) / "python"
    sizes = SIZES[:1] if "--small" in sys.argv else SIZES
    report("a step of an empty loop", f"{pace():.1f} ns", "if more than usual, the machine is busy")
    for shape in SHAPES:
        for count in sizes:
            with tempfile.TemporaryDirectory() as name:
                _compare(shape, count, forge, str(peer), Path(name))


def _compare(shape: str, count: int, forge: str, peer: str, folder: Path) -> None:
    write(folder, SHAPES[shape](count), 4)
    own = measure([forge, "run", "many.forge.yaml", "--workspace", "."], folder)
    report(f"{shape} of {count:,}: forge", _figures(own, count), "")
    command = [peer, str(_PEER), shape, str(count), "peer.db"]
    other = measure_within(PATIENCE, command, folder)
    if other is None:
        report(f"{shape} of {count:,}: LangGraph", f"given up after {PATIENCE} s", "")
        return
    report(f"{shape} of {count:,}: LangGraph", _figures(other, count), _ratios(other, own))


def _figures(cost: Cost, count: int) -> str:
    return f"{cost.cpu / count * 1e6:.0f} us, {cost.wall:.1f} s, {cost.peak:.0f} MiB"


def _ratios(other: Cost, own: Cost) -> str:
    cpu, wall, peak = other.cpu / own.cpu, other.wall / own.wall, other.peak / own.peak
    return f"{cpu:.1f} times the CPU, {wall:.1f} the time, {peak:.1f} the memory"


if __name__ == "__main__":
    main()
