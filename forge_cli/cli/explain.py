"""`forge explain`: what a word means that forge prints or a manifest takes."""

import sys
from typing import Annotated

import typer

from forge_cli.app import explain as use_case
from forge_cli.cli.terminal import Terminal, write


def explain(
    word: Annotated[
        str,
        typer.Argument(
            metavar="WORD",
            help="A rule, key, value, status, exit code or other word.",
            show_default=False,
        ),
    ],
) -> int:
    """Explain a rule, key, status, exit code or other word that forge prints.

    \b
    Examples:
      forge explain scope-exceeds-parent
      forge explain depends_on
      forge explain 3
    """
    terminal = Terminal.of(sys.stdout)
    write(sys.stdout, [terminal.safe(line) for line in use_case.explain(word)])
    return 0
