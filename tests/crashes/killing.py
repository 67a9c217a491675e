"""A real process of forge, killed at one commit of its ledger; then the run goes on."""

import signal
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.crashes.references import Outcome, Reference, differences, outcome, recovered
from tests.field_reports.processes import Ended, Forge

_LAUNCHER = (sys.executable, "-m", "tests.crashes.launcher")


@dataclass(frozen=True, slots=True)
class Point:
    """Where the process ends: `before` SQLite commits for the n-th time, or `after` it has."""

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
    """How a run ends that nothing happens to, and all points at which it can be killed."""

    outcome: Outcome
    code: int
    points: tuple[Point, ...]


def undisturbed(reference: Reference, folder: Path) -> Undisturbed:
    """The run as it is without a crash, made in a folder of its own."""
    forge = reference.laid_out(folder)
    ended = forge(*reference.command(), program=(*_LAUNCHER, "count", "commits"))
    commits = int((folder / "commits").read_text())
    numbers = range(1, commits + 1)
    points = [Point(word, number) for number in numbers for word in ("before", "after")]
    return Undisturbed(outcome(folder), ended.code, tuple(points))


def killed(reference: Reference, point: Point, folder: Path) -> tuple[Forge, Ended]:
    """A run that ended at the point, in a folder of its own, and what it had said until then."""
    forge = reference.laid_out(folder)
    program = (*_LAUNCHER, point.word, str(point.number))
    return forge, forge(*reference.command(), program=program)


def fault(reference: Reference, point: Point, due: Undisturbed, folder: Path) -> str:
    """What is wrong with a run that was killed there and gone on with; nothing if it holds."""
    forge, ended = killed(reference, point, folder)
    if ended.code != -signal.SIGKILL:
        return f"it was not killed: exit {ended.code} {ended.err}"
    said = recovered(reference, forge)
    if said.code != due.code and "which is final" not in said.err:
        return f"exit {said.code}, not {due.code}: {said.err}{said.out}"
    if different := differences(outcome(folder), due.outcome):
        return different
    kept = (*_each(folder, "evidence/*/*/events.jsonl"),)
    told = [line for line in ended.out.splitlines() if line not in kept]
    if told:
        return f"it had said what is not recorded: {told}"
    verified = forge("verify", "evidence")
    return "" if verified.code == 0 else f"its evidence does not hold: {verified.out}"


def _each(folder: Path, pattern: str) -> list[str]:
    return [line for path in folder.glob(pattern) for line in path.read_text().splitlines()]
