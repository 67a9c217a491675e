"""`forge verify`: checks evidence, and says of each folder what holds and what does not."""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from forge_cli.app.verify import Verified, find, torn, verify_folders
from forge_cli.cli.options import Color, TextOrJson, says_less, says_more
from forge_cli.cli.terminal import Terminal, complain, write

VERIFIED, FINDINGS, UNFINISHED, NOTHING_TO_CHECK = 0, 1, 2, 5
FORMAT_VERSION = 1


def verify(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH",
            help="Folders of evidence, or folders that hold some. Default: the latest run's.",
        ),
    ] = None,
    head: Annotated[
        str | None,
        typer.Option(
            metavar="ROOT", help="The head from the log of the run: root, or root and size."
        ),
    ] = None,
    write_found: Annotated[
        bool, typer.Option("--write", help="Have verification.json say what was found.")
    ] = False,
    allow_empty: Annotated[
        bool, typer.Option("--allow-empty", help="Nothing to check is no failure.")
    ] = False,
    form: TextOrJson = "text",
    color: Color = "auto",
    quiet: Annotated[bool, says_less("Only what is wrong.")] = False,
    verbose: Annotated[bool, says_more("Every check, also of many runs.")] = False,
) -> int:
    """Verify evidence: that nothing was changed, and that the run kept its contracts.

    Exit status: 0 verified, 1 something is wrong, 2 usage or unfinished evidence, 5 there
    is none.

    \b
    Examples:
      forge verify evidence/
      forge run manifests/office-research.yaml | tee run.log
      forge verify -v
      forge verify --head "$(tail -n 1 run.log)"
    """
    folders = find(paths or [], Path())
    if not folders and not allow_empty:
        complain("nothing to check: no evidence was found; name its folder, or --allow-empty")
        return NOTHING_TO_CHECK
    results = list(verify_folders(folders, head, write_found))
    terminal = Terminal.of(sys.stdout, color)
    lines = _json(results) if form == "json" else text(results, terminal, quiet, verbose)
    write(sys.stdout, lines)
    unfinished = torn(folders)
    for folder in unfinished:
        complain(
            f"there is no evidence yet in '{folder}': writing it was not finished; run the "
            "manifest again, and remove the folder"
        )
    if not all(result.ok for result in results):
        return FINDINGS
    return UNFINISHED if unfinished else VERIFIED


def text(
    results: Sequence[Verified], terminal: Terminal, quiet: bool = False, verbose: bool = False
) -> Iterator[str]:
    """A verdict for each folder; its checks below, where one failed or it is the only one."""
    every = (verbose or len(results) == 1) and not quiet
    for result in results:
        if result.ok and quiet:
            continue
        verdict = terminal.ink("green", "VERIFIED") if result.ok else terminal.ink("red", "FAILED")
        checks = [c for c in result.checks if every or not c.ok]
        failed = sum(not c.ok for c in result.checks)
        tally = (
            f"{failed} of {len(result.checks)} checks" if failed else f"{len(result.checks)} checks"
        )
        yield f"{verdict}  {terminal.safe(str(result.folder))}  {tally}"
        for check in checks:
            word = "ok   " if check.ok else terminal.ink("red", "WRONG")
            yield f"  {word}  {check.name:<10}  {terminal.safe(check.sentence)}"


def _json(results: Sequence[Verified]) -> Iterator[str]:
    found = [
        {
            "path": str(result.folder),
            "ok": result.ok,
            "checks": [{"name": c.name, "ok": c.ok, "sentence": c.sentence} for c in result.checks],
        }
        for result in results
    ]
    yield json.dumps({"format_version": FORMAT_VERSION, "evidence": found}, indent=2)
