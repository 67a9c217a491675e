"""A real process of forge that is cut off, or whose disk fills up; then its run goes on."""

import signal
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.crashes.left import likeness, texts
from tests.crashes.references import (
    LEDGER,
    RUN_ID,
    Outcome,
    Reference,
    begun_anew,
    changed_files,
    differences,
    outcome,
    recovered,
)
from tests.field_reports.processes import Ended, Forge

_LAUNCHER = (sys.executable, "-m", "tests.crashes.launcher")
_WATCHED = (sys.executable, "-m", "tests.crashes.watched")
_FULL = 2


@dataclass(frozen=True, slots=True)
class Point:
    """What goes wrong: the process is killed `before` SQLite commits for the n-th time, or `after`
    it has, or (`kill`) before the n-th operation on a file; or from that one on the disk is full
    (`fill`).
    """

    word: str
    number: int

    def __str__(self) -> str:
        return f"{self.word}:{self.number}"

    @classmethod
    def parse(cls, text: str) -> "Point":
        """What `str` makes of a point."""
        word, _, number = text.partition(":")
        return cls(word, int(number))


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """How a run ends that nothing happens to, and all points at which it can be killed.

    `changed` are the files that are others than before; `first` is the exit status before anything
    was decided.
    """

    outcome: Outcome
    changed: list[str]
    code: int
    first: int
    points: tuple[Point, ...]


def undisturbed(reference: Reference, folder: Path) -> Undisturbed:
    """The run as it is without a crash, made in a folder of its own."""
    forge = reference.laid_out(folder)
    ended = forge(*reference.command(), program=(*_LAUNCHER, "count", "commits"))
    commits = int((folder / "commits").read_text())
    first, ended = ended.code, reference.concluded(forge, ended)
    numbers = range(1, commits + 1)
    points = [Point(word, number) for number in numbers for word in ("before", "after")]
    return Undisturbed(outcome(folder), changed_files(folder), ended.code, first, tuple(points))


def killed(reference: Reference, point: Point, folder: Path) -> tuple[Forge, Ended]:
    """A run that ended at the point, in a folder of its own, and what it had said until then."""
    forge = reference.laid_out(folder)
    launcher = _LAUNCHER if point.word in ("before", "after") else _WATCHED
    program = (*launcher, point.word, str(point.number))
    return forge, forge(*reference.command(), program=program)


def fault(
    reference: Reference,
    point: Point,
    due: Undisturbed,
    folder: Path,
    then: Point | None = None,
    seen: set[str] | None = None,
) -> str:
    """What is wrong with a run that was cut off there and gone on with; nothing if it holds.

    `then` is where the first process that goes on with it is killed as well, if it gets there.
    What is left like one of those that are `seen` is not gone on with again.
    """
    forge, ended = killed(reference, point, folder)
    if wrong := _ending(point, ended, due):
        return wrong
    if told := set(ended.out.splitlines()) - set(texts(folder)):
        return f"it had said what is not recorded: {told}"
    if seen is not None:
        left = likeness(folder)
        if left in seen:
            return ""
        seen.add(left)
    if then is not None:
        program = (*_LAUNCHER, then.word, str(then.number))
        forge("resume", RUN_ID, "--workspace", ".", program=program)
    return _gone_on(reference, forge, due)


def _ending(point: Point, ended: Ended, due: Undisturbed) -> str:
    """What is wrong with how the process ended that was cut off."""
    if point.word == "fill":
        # When all is recorded, and only the lease is left to give back, nothing need be written.
        said_so = ended.code == _FULL and "the disk is full" in ended.err
        if not said_so and ended.code != due.first:
            return f"it did not say that the disk is full: exit {ended.code} {ended.err}"
    # A lease that is renewed is a commit as well: a slow run has more of them than a quick one.
    elif ended.code not in (-signal.SIGKILL, due.first):
        return f"it was not killed: exit {ended.code} {ended.err}"
    return ""


def _gone_on(reference: Reference, forge: Forge, due: Undisturbed) -> str:
    """What is wrong with the run after it was gone on with, or begun if there is none."""
    go_on = recovered if (forge.folder / LEDGER).exists() else begun_anew
    said = go_on(reference, forge)
    if said.code != due.code and "which is final" not in said.err:
        return f"exit {said.code}, not {due.code}: {said.err}{said.out}"
    if different := differences(outcome(forge.folder), due.outcome):
        return different
    if (changed := changed_files(forge.folder)) != due.changed:
        return f"it changed {changed}, not {due.changed}"
    verified = forge("verify", "evidence")
    return "" if verified.code == 0 else f"its evidence does not hold: {verified.out}"
