"""`forge run`: runs a manifest, shows how it goes, and says how it ended."""

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from forge_cli.app.choice import manifest as only_manifest
from forge_cli.app.plan import compiled
from forge_cli.app.preparation import RefusedError, Wishes, prepare
from forge_cli.app.recordings import Recorder
from forge_cli.app.run import Opened
from forge_cli.app.run import opened as open_run
from forge_cli.cli.arguments import (
    COLOR,
    QUIET,
    VERBOSE,
    Option,
    one_of,
    read_at_once,
    typer_function,
)
from forge_cli.cli.execution import Shown, execute, refused
from forge_cli.cli.manifest_options import INPUT, INPUTS, MANIFEST, NOW, WORKSPACE
from forge_cli.cli.plan import View, show
from forge_cli.cli.terminal import complain, prepare_streams
from forge_cli.engines import ENGINES

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
    Option(
        ("--record",), "Write the results of all turns to a file, for --mock.", None, "FILE", Path
    ),
    Option(
        ("--mock",),
        "Call nothing: take the results of a file of --record, or of evidence.",
        None,
        "FILE",
        Path,
    ),
    Option(("--reuse",), "Take over results of a run that hold here as well.", None, "RUN"),
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
    record: Path | None,
    mock: Path | None,
    reuse: str | None,
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
      forge run manifests/office-research.yaml --record results.json
      forge run manifests/office-research.yaml --mock results.json
    """
    prepare_streams()
    path = Path(manifest) if manifest else only_manifest(Path(), "forge run")
    moment = time.time_ns() // 1_000_000
    found = compiled(path, moment if now is None else now, workspace)
    wishes = Wishes(input, inputs, jobs, evidence, workspace, run_id, reuse, mock)
    if dry_run or found.plan is None:
        return show(found, path, wishes, View("text", color, quiet, verbose))
    try:
        prepared = prepare(found, found.plan, path, wishes, moment, os.environ)
    except RefusedError as reasons:
        return refused(reasons, color)
    opened = open_run(prepared)
    shown = Shown(format, color, quiet, verbose, allow_degraded, allow_paused)
    progress = shown.progress(opened.run.state, prepared.run_id, str(path))
    if record is None:
        return told(opened, execute(opened, progress, shown))
    recorder = Recorder()
    code = execute(opened, progress, shown, recorder)
    opened.record_results(record, recorder)
    return told(opened, code)


def told(opened: Opened, code: int) -> int:
    """Say which recorded results were missing or not used; returns the exit status."""
    if opened.recorded is None:
        return code
    for place in opened.recorded.missing:
        complain(f"no result is recorded for {place}")
    for place in opened.recorded.unused:
        complain(f"the recorded result of {place} was not used")
    differs = opened.recorded.missing or opened.recorded.unused
    return code or (1 if differs else 0)


def run_at_once(words: Sequence[str]) -> int | None:
    """Runs a command line that is plain, without typer; None if it is not."""
    values = read_at_once(OPTIONS, MANIFEST, words)
    return None if values is None else run(**values)


def command() -> Callable[..., int]:
    """The same for typer."""
    return typer_function(OPTIONS, MANIFEST, run)
