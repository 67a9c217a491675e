"""Every crash of every reference run: what is left is gone on with and compared.

    python tests/crashes/programme.py                             all of it
    python tests/crashes/programme.py labs/05                     the runs whose manifest begins so
    python tests/crashes/programme.py labs/05 before:3 fill:12    some points again
    python tests/crashes/programme.py labs/05 power 7f3a          power losses with that seed

Killed before and after each commit of the ledger, on a disk that is full from each operation on,
and with the power failing after each operation, where three shares of what was not synced survive.
"""

import secrets
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.crashes.killing import Point, fault, undisturbed
from tests.crashes.power import faults, losses, recorded
from tests.crashes.references import REFERENCES, Reference


def main(words: Sequence[str]) -> int:
    """Say what is tried and every fault; returns 1 if there was one."""
    begin = words[0] if words else ""
    chosen = [one for one in REFERENCES if one.manifest.startswith(begin)]
    found = [line for one in chosen for line in _tried(one, words[1:])]
    print("\n".join(found) or "nothing was found")
    return int(bool(found))


def _tried(reference: Reference, words: Sequence[str]) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as name:
        if "power" not in words:
            yield from _cut_off(reference, [Point.parse(word) for word in words], Path(name))
        if not words or "power" in words:
            yield from _power_lost(reference, [*words, secrets.token_hex(2)], Path(name))


def _cut_off(reference: Reference, asked: Sequence[Point], folder: Path) -> Iterator[str]:
    due = undisturbed(reference, folder / "undisturbed")
    points = asked or (*due.points, *_full_disks(reference, folder / "counted"))
    print(f"{reference.manifest:36} {len(points)} points", flush=True)
    for point in points:
        if wrong := fault(reference, point, due, folder / str(point)):
            yield f"{reference.manifest} {point}: {wrong}"


def _full_disks(reference: Reference, folder: Path) -> Iterator[Point]:
    done = recorded(reference, folder).operations
    for number in range(1, 1 + sum(one.kind != "acknowledged" for one in done)):
        yield Point("fill", number)


def _power_lost(reference: Reference, words: Sequence[str], folder: Path) -> Iterator[str]:
    seed = next(word for word in words if word != "power")
    recording = recorded(reference, folder / "recorded")
    found = list(losses(recording, seed))
    print(f"{reference.manifest:36} {len(found)} losses of power, seed {seed}", flush=True)
    for wrong in faults(reference, recording, found, folder / "ledgers"):
        yield f"{reference.manifest} power {seed} {wrong}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
