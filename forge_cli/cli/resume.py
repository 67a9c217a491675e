"""`forge resume`: goes on with a run that was left, after what a person decided."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from forge_cli.app import decisions
from forge_cli.app.decisions import Decision
from forge_cli.app.resume import awaited
from forge_cli.app.runs import chosen
from forge_cli.app.runs import workspace as workspace_at
from forge_cli.cli.execution import Shown, go_on
from forge_cli.cli.options import Color, TextOrLines, Workspace, says_less, says_more
from forge_cli.cli.show import Said, stored_report
from forge_cli.cli.terminal import Terminal, write
from forge_cli.cli.verdict import exit_code
from forge_cli.errors import ForgeError


def resume(
    run: Annotated[
        str | None, typer.Argument(metavar="RUN", help="Any unique end of its id; else the latest.")
    ] = None,
    approve: Annotated[
        list[str] | None,
        typer.Option(metavar="ITEM@DIGEST", help="Let an item run once, with these inputs."),
    ] = None,
    deny: Annotated[
        list[str] | None, typer.Option(metavar="ITEM", help="Give an item up: it ends denied.")
    ] = None,
    reissue: Annotated[
        list[str] | None,
        typer.Option(metavar="ITEM", help="Run a paused item again, told why it stopped."),
    ] = None,
    narrow: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Of --reissue: capabilities, scope or writes."),
    ] = None,
    rerun: Annotated[
        list[str] | None,
        typer.Option(metavar="ITEM", help="Run an indeterminate item again, with the same key."),
    ] = None,
    accept: Annotated[
        tuple[str, Path] | None,
        typer.Option(metavar="ITEM FILE", help="Give an item's result: one JSON object."),
    ] = None,
    take_over: Annotated[
        bool, typer.Option("--take-over", help="Take the run from a controller that holds it.")
    ] = False,
    allow_degraded: Annotated[
        bool, typer.Option("--allow-degraded", help="Exit 0 for a degraded run.")
    ] = False,
    allow_paused: Annotated[
        bool, typer.Option("--allow-paused", help="Exit 0 for a paused run.")
    ] = False,
    form: TextOrLines = "text",
    color: Color = "auto",
    workspace: Workspace = None,
    quiet: Annotated[bool, says_less("Only the verdict.")] = False,
    verbose: Annotated[bool, says_more("Lines for each turn, with what it was given.")] = False,
) -> int:
    """Go on with a run that was interrupted, abandoned or paused, where it stopped.

    What was accepted stays accepted. Without a decision a paused run only says what it awaits.

    Exit status: as of forge run; 2 there is no such run, or nothing of it can go on.

    \b
    Examples:
      forge run manifests/containment/approval.yaml --run-id asked --allow-paused
      forge resume asked --allow-paused
      forge resume asked --deny tell --allow-degraded
    """
    home = workspace_at(Path.cwd(), workspace)
    folder = chosen(home, run)
    asked = [*_decisions(approve, deny, reissue, narrow, rerun, accept)]
    shown = Shown(form, color, quiet, verbose, allow_degraded, allow_paused)
    if not asked and awaited(home, folder):
        terminal = Terminal.of(sys.stdout, color)
        said = Said(quiet, verbose and not quiet)
        write(sys.stdout, map(terminal.fit, stored_report(folder, home, terminal, said)))
        return exit_code("paused", allow_paused=allow_paused)
    return go_on(home, folder, asked, shown, take_over)


def _decisions(
    approve: Sequence[str] | None,
    deny: Sequence[str] | None,
    reissue: Sequence[str] | None,
    narrow: Sequence[str] | None,
    rerun: Sequence[str] | None,
    accept: tuple[str, Path] | None,
) -> Iterator[Decision]:
    if narrow and len(reissue or ()) != 1:
        raise ForgeError("--narrow goes with one --reissue; write  --reissue ITEM --narrow ...")
    yield from map(decisions.approval, approve or ())
    yield from (decisions.reissue(item, narrow or ()) for item in reissue or ())
    yield from (Decision("rerun", item) for item in rerun or ())
    if accept is not None:
        yield Decision("accept", accept[0], file=accept[1])
    yield from (Decision("deny", item) for item in deny or ())
