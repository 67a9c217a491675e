"""Every crash of every reference run: what is left is gone on with and compared.

    python tests/crashes/programme.py                             all of it
    python tests/crashes/programme.py labs/05                     the runs whose manifest begins so
    python tests/crashes/programme.py labs/05 before:3 fill:12    some points again
    python tests/crashes/programme.py labs/05 power 7f3a          power losses with that seed

Killed before and after each commit of the ledger, on a disk that is full from each operation on,
and with the power failing after each operation, where three shares of what was not synced survive.
What is left alike by several of them is gone on with once.
"""

import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from tests.crashes.killing import Point, Undisturbed, fault, undisturbed
from tests.crashes.power import Recording, faults, losses, recorded
from tests.crashes.references import REFERENCES, Reference
from tests.crashes.watched import FREEING, SAID

Trial = Callable[[], list[str]]
"""Something that is tried, in a folder of its own, and what is wrong then."""


def main(words: Sequence[str]) -> int:
    """Say what is tried and every fault; returns 1 if there was one."""
    begin = words[0] if words else ""
    # The last take longest, and are begun first.
    chosen = [one for one in reversed(REFERENCES) if one.manifest.startswith(begin)]
    # Much of a run is waiting: for its workers, for the disk, for what the manifest waits for.
    with (
        tempfile.TemporaryDirectory() as name,
        ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as threads,
    ):
        folders = [Path(name) / str(number) for number in range(len(chosen))]
        trials = threads.map(partial(_trials, words[1:]), chosen, folders)
        every = [trial for found in trials for trial in found]
        wrong = [line for lines in threads.map(_made, every) for line in lines]
    print("\n".join(wrong) or "nothing was found")
    return int(bool(wrong))


def _made(trial: Trial) -> list[str]:
    """What is wrong then; a command that hangs is, and the others are tried all the same."""
    try:
        return trial()
    except subprocess.TimeoutExpired as fault:
        return [str(fault)]


def _trials(words: Sequence[str], reference: Reference, folder: Path) -> list[Trial]:
    """What is to be tried of the reference; the power fails first, since that takes longest."""
    trials: list[Trial] = []
    due = undisturbed(reference, folder / "undisturbed")
    if not words or "power" in words:
        seed = next((word for word in words if word != "power"), secrets.token_hex(2))
        trials.append(partial(_power_lost, reference, seed, folder))
    asked = [Point.parse(word) for word in words if "power" not in words]
    points = asked
    if not words:
        points = [*due.points, *_full_disks(recorded(reference, folder / "counted"))]
    print(f"{reference.manifest:36} {len(points)} points", flush=True)
    seen = None if asked else set[str]()
    cut = (partial(_cut_off, reference, each, due, folder / str(each), seen) for each in points)
    return [*trials, *cut]


def _cut_off(
    reference: Reference, point: Point, due: Undisturbed, folder: Path, seen: set[str] | None
) -> list[str]:
    wrong = fault(reference, point, due, folder, seen=seen)
    shutil.rmtree(folder)
    return [f"{reference.manifest} {point}: {wrong}"] if wrong else []


def _full_disks(recording: Recording) -> Iterator[Point]:
    operations = [one for one in recording.operations if one.kind not in SAID]
    for number, operation in enumerate(operations, start=1):
        if operation.kind not in FREEING:
            yield Point("fill", number)


def _power_lost(reference: Reference, seed: str, folder: Path) -> list[str]:
    # Recorded only now: its time is up at some point, as that of all its copies is.
    recording = recorded(reference, folder / "recorded")
    found = list(losses(recording, seed))
    print(f"{reference.manifest:36} {len(found)} losses of power, seed {seed}", flush=True)
    wrong = faults(reference, recording, found, folder / "ledgers")
    return [f"{reference.manifest} power {seed} {line}" for line in wrong]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
