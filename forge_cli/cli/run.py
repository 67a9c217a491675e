"""`forge run`: runs a manifest, shows how it goes, and says how it ended."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from forge_cli.app.choice import manifest as only_manifest
from forge_cli.app.plan import compiled
from forge_cli.app.preparation import Prepared, RefusedError, Wishes, prepare
from forge_cli.app.run import Finished, Opened
from forge_cli.app.runs import short_name
from forge_cli.cli.actions import add_outputs, add_to_summary
from forge_cli.cli.arguments import (
    COLOR,
    QUIET,
    VERBOSE,
    Option,
    one_of,
    read_at_once,
    typer_function,
)
from forge_cli.cli.board import Board
from forge_cli.cli.console import Console
from forge_cli.cli.github import job_summary
from forge_cli.cli.manifest_options import INPUT, INPUTS, MANIFEST, NOW, WORKSPACE
from forge_cli.cli.overview import overview
from forge_cli.cli.plan import View, show
from forge_cli.cli.progress import Progress
from forge_cli.cli.terminal import Terminal, complain, prepare_streams, write
from forge_cli.cli.typed import again, as_typed, where
from forge_cli.cli.verdict import Outcome, exit_code, refusal, verdict
from forge_cli.engines import ENGINES
from forge_cli.ledger.store import Store
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.ports import Observer

REFUSED = 2


OPTIONS = (
    INPUT,
    INPUTS,
    Option(("--jobs", "-j"), "Turns at a time; only lowers the limit.", None, "N", int),
    Option(("--engine",), "The engine: local.", "local", "NAME", one_of(*ENGINES)),
    Option(
        ("--evidence",), "Where evidence goes; else evidence/<name>/<run id>.", None, "DIR", Path
    ),
    WORKSPACE,
    Option(("--run-id",), "The id of the run; else made from the time.", None, "ID"),
    NOW,
    Option(("--dry-run",), "Show the plan, as `forge plan` does; run nothing."),
    Option(("--allow-degraded",), "Exit 0 for a degraded run."),
    Option(("--allow-paused",), "Exit 0 for a paused run."),
    Option(
        ("--format",),
        "text, or jsonl: the events as the ledger has them, an object on each line.",
        "text",
        "FORMAT",
        one_of("text", "jsonl"),
    ),
    COLOR,
    Option(QUIET, "Only the verdict."),
    Option(VERBOSE, "Lines for each turn of any run, with what it was given."),
)


def run(
    manifest: str | None,
    input: tuple[str, ...],  # noqa: A002 - the option's name
    inputs: Path | None,
    jobs: int | None,
    engine: str,  # noqa: ARG001 - there is one
    evidence: Path | None,
    workspace: Path | None,
    run_id: str | None,
    now: int | None,
    dry_run: bool,
    allow_degraded: bool,
    allow_paused: bool,
    format: str,  # noqa: A002 - likewise
    color: str,
    quiet: bool,
    verbose: bool,
) -> int:
    """Run a manifest: check it and what it needs here, run it, write evidence, verify it.

    Exit status: 0 complete, 1 failed, 2 refused, 3 degraded, 4 paused, 129, 130 or 143 stopped.

    \b
    Examples:
      forge run manifests/office-research.yaml
      forge run manifests/office-research.yaml --input question="Is one floor enough?" -v
      forge run manifests/music-creation.yaml --jobs 1 --format jsonl
    """
    prepare_streams()
    path = Path(manifest) if manifest else only_manifest(Path(), "forge run")
    moment = time.time_ns() // 1_000_000
    found = compiled(path, moment if now is None else now, workspace)
    wishes = Wishes(input, inputs, jobs, evidence, workspace, run_id)
    if dry_run or found.plan is None:
        return show(found, path, wishes, View("text", color, quiet, verbose))
    try:
        prepared = prepare(found, found.plan, path, wishes, moment, os.environ)
    except RefusedError as refused:
        return _refused(refused, Terminal.of(sys.stdout, color))
    opened = Opened(prepared)
    unseen = quiet or (format == "jsonl" and not verbose)
    console = Console.of(sys.stderr, color, unseen, str(path))
    progress = Progress(opened.run.state, prepared.run_id, console, verbose)
    finished = _watched(opened, progress, Terminal.of(sys.stdout, color), format)
    code = exit_code(finished.status, finished.signal, allow_degraded, allow_paused)
    if format == "text":
        outcome = _outcome(prepared, opened, finished)
        with _heard(finished.signal):
            _tell(progress.board, Terminal.of(sys.stdout, color), outcome, code)
    add_outputs(os.environ, progress.board.end.get("outputs") or {})
    return _verified(finished, code)


def run_at_once(words: Sequence[str]) -> int | None:
    """Runs a command line that is plain, without typer; None if it is not."""
    values = read_at_once(OPTIONS, MANIFEST, words)
    return None if values is None else run(**values)


def command() -> Callable[..., int]:
    """The same for typer."""
    return typer_function(OPTIONS, MANIFEST, run)


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
