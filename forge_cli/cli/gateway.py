"""`forge gateway`: serves the tools of one item's contract as MCP on standard input and output."""

import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from forge_cli.app.gateway import open_gateway, serve
from forge_cli.app.plan import compiled
from forge_cli.app.preparation import Wishes
from forge_cli.cli.options import Color, says_less, says_more
from forge_cli.cli.plan import refuse
from forge_cli.cli.terminal import Terminal, write
from forge_cli.multiagent.plan import Json

_STYLES = {"done": "green", "failed": "red", "denied": "red"}


def gateway(
    manifest: Annotated[Path, typer.Argument(metavar="MANIFEST", help="Its file.")],
    item: Annotated[str, typer.Argument(metavar="ITEM", help="The item whose contract holds.")],
    given: Annotated[
        list[str] | None,
        typer.Option("--input", "-i", metavar="KEY=VALUE", help="An input of the run."),
    ] = None,
    inputs: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Inputs as one JSON object.")
    ] = None,
    workspace: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="What scopes are relative to; else the git root."),
    ] = None,
    color: Color = "auto",
    quiet: Annotated[bool, says_less("Nothing on standard error but what is wrong.")] = False,
    verbose: Annotated[bool, says_more("Each call, and what became of it.")] = False,
) -> int:
    """Serve the tools of an item's contract as MCP, to agents that forge did not start.

    Each call is checked and recorded in .forge/gateway. It ends when standard input does.

    Exit status: 0 ended, 2 refused.

    \b
    Examples:
      forge gateway manifests/software-delivery.yaml review
      forge gateway manifests/authorization-review.yaml review -v
    """
    found = compiled(manifest, time.time_ns() // 1_000_000, workspace)
    if found.plan is None:
        return refuse(found, manifest, color)
    wishes = Wishes(tuple(given or ()), inputs, workspace=workspace)
    opened = open_gateway(found, found.plan, item, manifest, wishes, os.environ)
    terminal = Terminal.of(sys.stderr, color)

    def tell(kind: str, body: Mapping[str, Json]) -> None:
        lines = _said(kind, body, terminal, verbose)
        if kind == "gateway_opened":
            lines += [f"journal  {terminal.safe(str(opened.journal.path))}"]
        write(sys.stderr, lines if not quiet else ())

    serve(opened, 0, 1, tell)
    return 0


def _said(kind: str, body: Mapping[str, Json], terminal: Terminal, verbose: bool) -> list[str]:
    """What is said of an event: that the gateway is open, to whoever wants it also each call."""
    if kind == "gateway_opened":
        tools = ", ".join(body["tools"]) or "no tool"
        calls = [f"until    {body['until']}"] * verbose
        return [f"{terminal.ink('bold', 'gateway')}  {terminal.safe(tools)}", *calls]
    if kind != "tool_answered" or not verbose:
        return []
    reason = body.get("denied") or body.get("failed") or ""
    decision = terminal.ink(_STYLES[body["decision"]], body["decision"])
    return [f"{terminal.safe(body['tool'])}  {decision}  {terminal.safe(reason)}".rstrip()]
