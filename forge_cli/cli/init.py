"""`forge init`: a commented manifest that runs at once, the schema for the editor, a CI job."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from forge_cli.app.ci import SERVICES, Job
from forge_cli.app.ci import job as write_job
from forge_cli.app.init import Made, has_manifests
from forge_cli.app.init import init as make
from forge_cli.cli.options import Color, one_of, says_less, says_more
from forge_cli.cli.tables import aligned
from forge_cli.cli.terminal import Terminal, write

Row = tuple[str, str, str]


def init(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="Where to write; made if it is not there.")
    ] = Path(),
    ci: Annotated[
        str | None,
        typer.Option(
            "--ci",
            callback=one_of(*SERVICES),
            metavar="SERVICE",
            help="Also a job that validates each change: github or gitlab.",
        ),
    ] = None,
    color: Color = "auto",
    quiet: Annotated[bool, says_less("No list of what was written.")] = False,
    verbose: Annotated[bool, says_more("Show what was written as well.")] = False,
) -> int:
    """Write a manifest that runs at once, and the JSON Schema that an editor checks it with.

    The manifest is written only where there is none yet, with --ci a job where its service looks
    for it. Nothing that is there already is overwritten: a job whose file is there is printed.
    Exit status: 0 written, 2 refused.

    \b
    Examples:
      forge init delegation/
      forge init --ci github
    """
    job = None if ci is None else write_job(ci, directory)
    made = None if job is not None and has_manifests(directory) else make(directory)
    terminal = Terminal.of(sys.stdout, color)
    lines = [] if quiet else init_lines(made, job, directory, terminal)
    if job is not None and not job.written:
        lines += ["", *job.text.splitlines()]
    elif verbose and not quiet:
        texts = [job.text] if job else []
        texts += [made.manifest.read_text("utf-8")] if made and made.manifest else []
        for text in texts:
            lines += ["", *(f"  {line}".rstrip() for line in text.splitlines())]
    write(sys.stdout, map(terminal.fit, lines))
    return 0


def init_lines(
    made: Made | None, job: Job | None, directory: Path, terminal: Terminal
) -> list[str]:
    """What was written, and what to type next."""
    rows = [*(_job_rows(job) if job else ()), *(_made_rows(made) if made else ())]
    if made and not job:
        here = "" if directory == Path() else f"{shlex.quote(str(directory))} "
        rows.append(("", f"forge init {here}--ci github", "a job that validates every change"))
    rows = [(f"{word:5}", terminal.safe(name), text) for word, name, text in rows]
    return [
        line.replace(name, terminal.ink("bold", name), 1)
        for line, (_, name, _) in zip(aligned(rows), rows, strict=True)
    ]


def _made_rows(made: Made) -> list[Row]:
    schema = ("wrote" if made.schema_written else "kept", str(made.schema))
    rows: list[Row] = [(*schema, "completion and checks in your editor")]
    if made.manifest is None:
        return [*rows, ("next", "forge validate", "there are manifests here, so none was written")]
    run, why = "forge run", "there is one manifest here, so it needs no argument"
    if made.manifest.parent != Path():
        run, why = f"forge run {shlex.quote(str(made.manifest))}", "it needs no argument but this"
    what = f"{made.lines} lines; needs no key, no network, no server"
    return [("wrote", str(made.manifest), what), *rows, ("next", run, why)]


def _job_rows(job: Job) -> list[Row]:
    row = ("wrote", str(job.path), "validates every change")
    if not job.written:
        row = ("kept", str(job.path), f"it is there already: {job.use}")
    if job.complete:
        return [row]
    return [row, ("edit", "FORGE in it", "what pip installs; forge is on no package index")]
