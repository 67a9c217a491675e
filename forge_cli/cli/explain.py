"""`forge explain`: what a word means that forge prints or a manifest takes."""

import sys
from typing import Annotated

import typer

from forge_cli.app import explain as use_case
from forge_cli.cli.options import Color, says_less, says_more
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
    color: Color = "auto",
    quiet: Annotated[bool, says_less("Only the first sentence.")] = False,
    verbose: Annotated[bool, says_more("Name the words to read on with.")] = False,
) -> int:
    """Explain a rule, key, status, exit code or other word that forge prints.

    \b
    Examples:
      forge explain scope-exceeds-parent
      forge explain depends_on
      forge explain 3
    """
    lines = use_case.brief(word) if quiet else use_case.explain(word)
    if verbose and not quiet:
        lines += use_case.see_also(word)
    terminal = Terminal.of(sys.stdout, color)
    write(sys.stdout, (_inked(terminal.safe(line), word, terminal) for line in lines))
    return 0


def _inked(line: str, word: str, terminal: Terminal) -> str:
    """The same line, with the word in bold where it heads one."""
    rest = line.removeprefix(f"{word}: ")
    return line if rest == line else f"{terminal.ink('bold', word)}: {rest}"
