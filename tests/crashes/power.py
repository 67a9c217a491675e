"""The power fails at some operation of a run; what the disk then holds is gone on with."""

import pickle
import random
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from forge_cli.errors import ForgeError
from forge_cli.ledger.durable import UNFINISHED
from forge_cli.ledger.reader import Reader
from tests.crashes.disk import Disk
from tests.crashes.operations import Operation
from tests.crashes.references import (
    LEDGER,
    RUN_ID,
    Outcome,
    Reference,
    begun_anew,
    changed_files,
    differences,
    events,
    outcome,
    recovered,
)
from tests.field_reports.processes import Forge

SHARES = (0.0, 0.5, 1.0)
"""How much of what was not synced survives."""

Files = dict[str, bytes | None]


@dataclass(frozen=True, slots=True)
class Recording:
    """A run that nothing happened to, and all that it did to the disk."""

    operations: tuple[Operation, ...]
    events: tuple[str, ...]
    outcome: Outcome
    changed: tuple[str, ...]
    code: int
    folder: Path


@dataclass(frozen=True, slots=True)
class Loss:
    """What is found on the disk, and how many events had been promised before the power failed.

    It failed after the operation with the given number; `share` of what was not synced survived.
    `changed` is what programs had changed in the workspace when all was last made durable.
    """

    number: int
    share: float
    promised: int
    files: Files
    changed: Files

    def __str__(self) -> str:
        return f"{self.number}/{self.share}"


def recorded(reference: Reference, folder: Path) -> Recording:
    """The run, made in a folder of its own."""
    forge = reference.laid_out(folder)
    program = (sys.executable, "-m", "tests.crashes.watched", "record", "operations")
    ended = forge(*reference.command(), program=program)
    done = tuple(Operation(*one) for one in pickle.loads((folder / "operations").read_bytes()))
    promised = tuple(events(folder))
    code = reference.concluded(forge, ended).code
    changed = tuple(changed_files(folder))
    return Recording(done, promised, outcome(folder), changed, code, folder)


def losses(recording: Recording, seed: str) -> Iterator[Loss]:
    """The power fails after each operation, and something, all or nothing else survives."""
    disk, promised = Disk(recording.folder), 0
    for number, operation in enumerate(recording.operations, start=1):
        if operation.kind == "acknowledged":
            promised = operation.offset
            continue
        disk.do(operation)
        for share in SHARES:
            chance = random.Random(f"{seed} {number} {share}")
            left = disk.after_power_loss(chance, share)
            yield Loss(number, share, promised, left, disk.changed)


def faults(
    reference: Reference, recording: Recording, found: Iterable[Loss], folder: Path
) -> Iterator[str]:
    """What is wrong after each of them; what looks the same to forge is gone on with once.

    The run is gone on with where it was recorded, since its ledger names places; `folder` is for
    copies of ledgers.
    """
    seen = set()
    for loss in found:
        wrong = broken_promise(recording, loss, folder)
        if not wrong and (likeness := _likeness(loss, folder)) not in seen:
            seen.add(likeness)
            wrong = _gone_on(reference, recording, loss)
        if wrong:
            yield f"{loss}: {wrong}"


def broken_promise(recording: Recording, loss: Loss, folder: Path) -> str:
    """What is wrong with the ledger that is found; nothing if all that was promised is there."""
    try:
        found = tuple(_kept(loss, folder))
    except ForgeError as fault:
        return str(fault)
    if len(found) < loss.promised:
        return f"{loss.promised} events were promised, {len(found)} are there"
    if found != recording.events[: len(found)]:
        return "the events are not those that were recorded"
    return ""


def _kept(loss: Loss, folder: Path) -> list[str]:
    """The events of the ledger that is found, none if there is no ledger."""
    if LEDGER not in loss.files:
        return []
    place = folder / str(loss).replace("/", "-") / RUN_ID
    ledger = {name: data for name, data in loss.files.items() if name.startswith(LEDGER)}
    _write(place, {Path(name).name: data for name, data in ledger.items()})
    with Reader.open(place / "ledger.db") as reader:
        return list(reader.texts())


def _likeness(loss: Loss, folder: Path) -> object:
    """What is the same for forge: how a file is called that was not finished does not matter."""
    names = {
        (UNFINISHED if UNFINISHED in name else name, data)
        for name, data in loss.files.items()
        if not name.startswith(LEDGER)
    }
    return (
        LEDGER in loss.files,
        len(_kept(loss, folder)),
        frozenset(names),
        frozenset(loss.changed.items()),
    )


def _gone_on(reference: Reference, recording: Recording, loss: Loss) -> str:
    """What is wrong with the run after it was gone on with, or begun if there is none."""
    folder = recording.folder
    shutil.rmtree(folder)
    forge = reference.laid_out(folder)
    _write(folder, loss.files)
    _change(folder / "manifests", loss.changed)
    go_on = recovered if LEDGER in loss.files else begun_anew
    said = go_on(reference, forge)
    if said.code != recording.code and "which is final" not in said.err:
        return f"exit {said.code}, not {recording.code}: {said.err}{said.out}"
    if different := differences(outcome(folder), recording.outcome):
        return different
    if (changed := tuple(changed_files(folder))) != recording.changed:
        return f"it changed {changed}, not {recording.changed}"
    verified = Forge(folder)("verify", "evidence")
    return "" if verified.code == 0 else f"its evidence does not hold: {verified.out}"


def _write(folder: Path, files: Files) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        if data is None:
            (folder / name).mkdir(parents=True, exist_ok=True)
        else:
            (folder / name).write_bytes(data)


def _change(folder: Path, changed: Files) -> None:
    for name, data in changed.items():
        if data is None:
            (folder / name).unlink(missing_ok=True)
        else:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
