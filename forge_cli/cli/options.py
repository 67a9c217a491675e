"""Options that several commands share, declared once for typer."""

from typing import Annotated

import click
import typer

from forge_cli.cli.terminal import COLORS

Color = Annotated[
    str,
    typer.Option("--color", click_type=click.Choice(COLORS), help="Colour: auto, always or never."),
]

TextOrJson = Annotated[
    str, typer.Option("--format", click_type=click.Choice(("text", "json")), help="Text or JSON.")
]

TextOrLines = Annotated[
    str,
    typer.Option(
        "--format",
        click_type=click.Choice(("text", "jsonl")),
        help="Text, or the events as the ledger has them, one JSON object on a line.",
    ),
]
