"""A run that goes on before the eyes of a person, and the last word on it."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from forge_cli.app.decisions import Decision
from forge_cli.app.links import line_of
from forge_cli.app.preparation import RefusedError
from forge_cli.app.run import Finished, Opened
from forge_cli.app.runs import short_name
from forge_cli.app.typed import again, as_typed, where
from forge_cli.cli.actions import add_outputs, add_to_summary
from forge_cli.cli.asking import approved
from forge_cli.cli.board import Board
from forge_cli.cli.console import Console
from forge_cli.cli.github import job_summary
from forge_cli.cli.overview import overview
from forge_cli.cli.progress import Progress
from forge_cli.cli.terminal import Terminal, complain, write
from forge_cli.cli.verdict import Outcome, exit_code, refusal, verdict
from forge_cli.ledger.runs import RunFolder
from forge_cli.ledger.store import Store
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.ports import Observer
from forge_cli.multiagent.run_state import RunState

REFUSED = 2


@dataclass(frozen=True, slots=True)
class Shown:
    """How a run is shown, and which ends of it are no failure."""

    form: str
    color: str
    quiet: bool
    verbose: bool
    allow_degraded: bool = False
    allow_paused: bool = False

    @property
    def asks(self) -> bool:
        """Whether a person reads what is shown and can answer."""
        seen = self.form == "text" and not self.quiet and "CI" not in os.environ
        return seen and sys.stdin.isatty() and sys.stderr.isatty()

    def progress(self, state: RunState, run_id: str, manifest: str) -> Progress:
        """What shows the run of that state on standard error."""
        unseen = self.quiet or (self.form == "jsonl" and not self.verbose)
        console = Console.of(sys.stderr, self.color, unseen, manifest)
        return Progress(state, run_id, console, self.verbose)


def execute(opened: Opened, progress: Progress, shown: Shown, *observers: Observer) -> int:
    """Run it to its end, show how, say what came of it; returns the exit status.

    Where a person sits at a terminal, they are asked for an approval that is awaited.
    """
    code = _to_the_end(opened, progress, shown, observers)
    decision = approved(progress.board) if shown.asks else None
    if decision is None:
        return code
    folder = RunFolder(opened.prepared.run_id, opened.store.path.parent)
    return go_on(opened.prepared.workspace, folder, [decision], shown)


def go_on(
    home: Path,
    folder: RunFolder,
    decisions: Sequence[Decision],
    shown: Shown,
    by_force: bool = False,
) -> int:
    """Take up a run of the workspace `home` that was left; returns the exit status."""
    # Heavy, and most runs are never left.
    from forge_cli.app.resume import left, resumed

    try:
        found = left(home, folder, os.environ)
    except RefusedError as reasons:
        return refused(reasons, shown.color)
    made: list[Progress] = []

    def recall(state: RunState) -> Observer:
        made.append(shown.progress(state, folder.run_id, str(found.prepared.manifest)))
        return made[0].recall

    opened = resumed(found, decisions, by_force, recall)
    return execute(opened, made[0], shown)


def _to_the_end(opened: Opened, progress: Progress, shown: Shown, more: Sequence[Observer]) -> int:
    finished = _watched(opened, progress, Terminal.of(sys.stdout, shown.color), shown.form, more)
    code = exit_code(
        finished.status,
        finished.signal,
        shown.allow_degraded,
        shown.allow_paused,
        holds=not finished.faults,
    )
    if shown.form == "text":
        outcome = _outcome(opened, finished)
        with _heard(finished.signal):
            _tell(progress.board, Terminal.of(sys.stdout, shown.color), outcome, code)
    add_outputs(os.environ, progress.board.end.get("outputs") or {})
    if shown.form != "text":
        for fault in finished.faults:
            complain(f"the evidence does not hold: {fault}")
    return code


def refused(reasons: RefusedError, color: str) -> int:
    """Say why nothing was started; returns the exit status."""
    terminal = Terminal.of(sys.stdout, color)
    write(sys.stdout, map(terminal.fit, refusal(terminal, reasons.reasons)))
    return REFUSED


class EventLines:
    """Writes the ledger's new lines to standard output as they become durable.

    When nobody reads them any more (`fault`), that ends the writing and not the run.
    """

    def __init__(self, store: Store, terminal: Terminal) -> None:
        self._store = store
        self._terminal = terminal
        self._written = store.size
        self.fault: OSError | None = None

    def __call__(self, event: Event) -> None:  # noqa: ARG002  # the ledger has it as text
        """Write what the ledger holds and was not written yet."""
        if self.fault is not None:
            return
        lines = list(self._store.lines(after=self._written))
        self._written += len(lines)
        try:
            write(sys.stdout, (self._terminal.data(line.text) for line in lines))
        except OSError as fault:
            self.fault = fault


def _watched(
    opened: Opened, progress: Progress, terminal: Terminal, form: str, more: Sequence[Observer]
) -> Finished:
    """The run, shown while it goes on, and seen by `more` observers."""
    observers: list[Observer] = [progress, *more]
    lines = EventLines(opened.store, terminal) if form == "jsonl" else None
    if lines is not None:
        observers.append(lines)
    progress.start()
    try:
        finished = opened.execute(observers, progress.tell)
    finally:
        progress.close()
    with _heard(finished.signal):
        if lines is not None and lines.fault is not None:
            raise lines.fault
    return finished


@contextmanager
def _heard(signal: str) -> Iterator[None]:
    """A terminal that was closed takes no words any more: that is no fault, and changes no code."""
    try:
        yield
    except OSError:
        if signal != "SIGHUP":
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _tell(board: Board, terminal: Terminal, outcome: Outcome, code: int) -> None:
    """The verdict on standard output, and where GitHub shows it."""
    write(sys.stdout, map(terminal.fit, verdict(board, terminal, outcome, code)))
    plain = Terminal()
    summary = job_summary(overview(board, plain, board.now), verdict(board, plain, outcome, code))
    add_to_summary(os.environ, summary)


def _outcome(opened: Opened, finished: Finished) -> Outcome:
    prepared = opened.prepared
    home = prepared.workspace
    return Outcome(
        short_name(home, prepared.run_id),
        as_typed(prepared.evidence),
        f"{finished.head.root} {finished.head.size}",
        again(prepared.manifest, home),
        opened.artifacts.get,
        where(home),
        partial(line_of, prepared.manifest),
        list(map(str, finished.faults)),
    )
