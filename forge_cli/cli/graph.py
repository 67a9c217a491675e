"""`forge graph`: items, their order and who does them, as a drawing in Mermaid or DOT."""

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from forge_cli.app.choice import manifest as only_manifest
from forge_cli.app.graph import graph as graph_of
from forge_cli.app.plan import compiled
from forge_cli.cli import dot, mermaid
from forge_cli.cli.labels import Labels
from forge_cli.cli.options import Color, Manifest, one_of, says_less, says_more
from forge_cli.cli.plan import refuse
from forge_cli.cli.terminal import Terminal, write
from forge_cli.manifest.meaning.topology import Topology

FORMATS = {"mermaid": mermaid.drawn, "dot": dot.drawn}


def graph(
    manifest: Manifest = None,
    form: Annotated[
        str,
        typer.Option(
            "--format", callback=one_of(*FORMATS), metavar="FORMAT", help="mermaid or dot."
        ),
    ] = "mermaid",
    color: Color = "auto",
    quiet: Annotated[bool, says_less("Only the names, not who does it and when.")] = False,
    verbose: Annotated[bool, says_more("Also what each item is for and may use.")] = False,
) -> int:
    """Draw what would run: items, their order, conditions, sub-tasks, roles and delegations.

    Nothing is run. Exit status: 0 drawn, 2 the manifest is refused.

    \b
    Examples:
      forge graph manifests/software-delivery.yaml
      forge graph manifests/authorization-review.yaml --format dot
    """
    path = manifest or only_manifest(Path(), "forge graph")
    found = compiled(path, time.time_ns() // 1_000_000)
    if found.plan is None:
        return refuse(found, path, color)
    labels = Labels(Terminal.of(sys.stdout, color), quiet, verbose and not quiet)
    write(
        sys.stdout, FORMATS[form](graph_of(found.plan, Topology(found.data, found.origins)), labels)
    )
    return 0
