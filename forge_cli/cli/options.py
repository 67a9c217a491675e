"""Options that several commands share, declared once for typer."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from forge_cli.cli.arguments import COLOR, QUIET, VERBOSE
from forge_cli.cli.terminal import COLORS


def one_of(*choices: str) -> Callable[[str | None], str | None]:
    """Refuses every value but these; typer's own choice is not there in every version."""

    def check(value: str | None) -> str | None:
        if value is not None and value not in choices:
            raise typer.BadParameter(f"'{value}' is not one of {', '.join(choices)}")
        return value

    return check


Color = Annotated[
    str,
    typer.Option(*COLOR.names, callback=one_of(*COLORS), metavar=COLOR.metavar, help=COLOR.help),
]

Workspace = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR", help="Where it ran; else the nearest folder, from here up, with runs."
    ),
]


def says_less(effect: str) -> Any:
    """The flag `-q` of a command, with what it leaves of the output."""
    return typer.Option(*QUIET, help=effect)


def says_more(effect: str) -> Any:
    """The flag `-v` of a command, with what it adds to the output."""
    return typer.Option(*VERBOSE, help=effect)


TextOrJson = Annotated[
    str,
    typer.Option(
        "--format", callback=one_of("text", "json"), metavar="FORMAT", help="text or json."
    ),
]

TextOrLines = Annotated[
    str,
    typer.Option(
        "--format",
        callback=one_of("text", "jsonl"),
        metavar="FORMAT",
        help="text, or jsonl: the events as the ledger has them, an object on each line.",
    ),
]


Manifest = Annotated[
    Path | None,
    typer.Argument(metavar="MANIFEST", help="Its file; else the only *.forge.yaml here."),
]
