"""`forge run`: runs a manifest, shows how it goes, and says how it ended."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from forge_cli.app.choice import manifest as only_manifest
from forge_cli.app.plan import compiled
from forge_cli.app.preparation import Prepared, RefusedError, Wishes, prepare
from forge_cli.app.run import Finished, Opened
from forge_cli.app.runs import short_name
from forge_cli.cli.actions import add_outputs, add_to_summary
from forge_cli.cli.board import Board
from forge_cli.cli.console import Console
from forge_cli.cli.github import job_summary
from forge_cli.cli.options import (
    Color,
    Given,
    InputsFile,
    Manifest,
    ManifestWorkspace,
    Moment,
    TextOrLines,
    says_less,
    says_more,
)
from forge_cli.cli.overview import overview
from forge_cli.cli.plan import View, show
from forge_cli.cli.progress import Progress
from forge_cli.cli.terminal import Terminal, complain, write
from forge_cli.cli.typed import again, as_typed, where
from forge_cli.cli.verdict import Outcome, exit_code, refusal, verdict
from forge_cli.engines import ENGINES
from forge_cli.errors import ForgeError
from forge_cli.ledger.store import Store
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.ports import Observer

REFUSED = 2


def run(
    manifest: Manifest = None,
    given: Given = None,
    inputs: InputsFile = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", metavar="N", help="Turns at a time; only lowers the limit."),
    ] = None,
    engine: Annotated[str, typer.Option(metavar="NAME", help="The engine: local.")] = "local",
    evidence: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where evidence goes; else evidence/<name>/<run id>."),
    ] = None,
    workspace: ManifestWorkspace = None,
    run_id: Annotated[
        str | None, typer.Option(metavar="ID", help="The id of the run; else made from the time.")
    ] = None,
    now: Moment = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the plan, as `forge plan` does; run nothing.")
    ] = False,
    allow_degraded: Annotated[
        bool, typer.Option("--allow-degraded", help="Exit 0 for a degraded run.")
    ] = False,
    allow_paused: Annotated[
        bool, typer.Option("--allow-paused", help="Exit 0 for a paused run.")
    ] = False,
    form: TextOrLines = "text",
    color: Color = "auto",
    quiet: Annotated[bool, says_less("Only the verdict.")] = False,
    verbose: Annotated[
        bool, says_more("Lines for each turn of any run, with what it was given.")
    ] = False,
) -> int:
    """Run a manifest: check it and what it needs here, run it, write evidence, verify it.

    Exit status: 0 complete, 1 failed, 2 refused, 3 degraded, 4 paused, 129, 130 or 143 stopped.

    \b
    Examples:
      forge run manifests/office-research.yaml
      forge run manifests/office-research.yaml --input question="Is one floor enough?" -v
      forge run manifests/music-creation.yaml --jobs 1 --format jsonl
    """
    path = manifest or only_manifest(Path(), "forge run")
    _check_engine(engine)
    moment = time.time_ns() // 1_000_000
    found = compiled(path, moment if now is None else now, workspace)
    wishes = Wishes(given or [], inputs, jobs, evidence, workspace, run_id)
    if dry_run or found.plan is None:
        return show(found, path, wishes, View("text", color, quiet, verbose))
    try:
        prepared = prepare(found, found.plan, path, wishes, moment, os.environ)
    except RefusedError as refused:
        return _refused(refused, Terminal.of(sys.stdout, color))
    opened = Opened(prepared)
    unseen = quiet or (form == "jsonl" and not verbose)
    console = Console.of(sys.stderr, color, unseen, str(path))
    progress = Progress(opened.run.state, prepared.run_id, console, verbose)
    finished = _watched(opened, progress, Terminal.of(sys.stdout, color), form)
    code = exit_code(finished.status, finished.signal, allow_degraded, allow_paused)
    if form == "text":
        outcome = _outcome(prepared, opened, finished)
        with _heard(finished.signal):
            _tell(progress.board, Terminal.of(sys.stdout, color), outcome, code)
    add_outputs(os.environ, progress.board.end.get("outputs") or {})
    return _verified(finished, code)


class EventLines:
    """Writes the ledger's lines to standard output as they become durable.

    When nobody reads them any more (`fault`), that ends the writing and not the run.
    """

    def __init__(self, store: Store, terminal: Terminal) -> None:
        self._store = store
        self._terminal = terminal
        self._written = 0
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


def _refused(refused: RefusedError, terminal: Terminal) -> int:
    write(sys.stdout, map(terminal.fit, refusal(terminal, refused.reasons)))
    return REFUSED


def _watched(opened: Opened, progress: Progress, terminal: Terminal, form: str) -> Finished:
    """The run, shown while it goes on."""
    observers: list[Observer] = [progress]
    lines = EventLines(opened.store, terminal) if form == "jsonl" else None
    if lines is not None:
        observers.append(lines)
    progress.start()
    try:
        finished = opened.execute(observers)
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


def _check_engine(name: str) -> None:
    if name not in ENGINES:
        raise ForgeError(f"there is no engine '{name}'; there are: {', '.join(ENGINES)}")


def _outcome(prepared: Prepared, opened: Opened, finished: Finished) -> Outcome:
    home = prepared.workspace
    return Outcome(
        short_name(home, prepared.run_id),
        as_typed(prepared.evidence),
        f"{finished.head.root} {finished.head.size}",
        again(prepared.manifest, home),
        opened.artifacts.get,
        where(home),
    )


def _verified(finished: Finished, code: int) -> int:
    """The exit status: never success with evidence that does not hold."""
    for fault in finished.faults:
        complain(f"the evidence does not hold: {fault.name}: {fault.sentence}")
    return code or int(bool(finished.faults))
