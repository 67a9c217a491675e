"""`forge init`: a commented manifest that runs at once, and the schema for the editor."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from forge_cli.app.init import Made
from forge_cli.app.init import init as make
from forge_cli.cli.options import Color, says_less, says_more
from forge_cli.cli.tables import aligned
from forge_cli.cli.terminal import Terminal, write


def init(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="Where to write; made if it is not there.")
    ] = Path(),
    color: Color = "auto",
    quiet: Annotated[bool, says_less("No list of what was written.")] = False,
    verbose: Annotated[bool, says_more("Show the manifest as well.")] = False,
) -> int:
    """Write a manifest that runs at once, and the JSON Schema that an editor checks it with.

    Nothing that is there already is overwritten. Exit status: 0 written, 2 refused.

    \b
    Examples:
      forge init
      forge init delegation/
    """
    made = make(directory)
    if quiet:
        return 0
    terminal = Terminal.of(sys.stdout, color)
    lines = init_lines(made, terminal)
    if verbose:
        text = made.manifest.read_text("utf-8")
        lines += ["", *(f"  {line}".rstrip() for line in text.splitlines())]
    write(sys.stdout, map(terminal.fit, lines))
    return 0


def init_lines(made: Made, terminal: Terminal) -> list[str]:
    """What was written, and what to type next."""
    schema = "wrote" if made.schema_written else "kept"
    run, why = "forge run", "there is one manifest here, so it needs no argument"
    if not made.alone or made.manifest.parent != Path():
        run, why = f"forge run {shlex.quote(str(made.manifest))}", "it needs no argument but this"
    rows = [
        ("wrote", str(made.manifest), f"{made.lines} lines; needs no key, no network, no server"),
        (schema, str(made.schema), "completion and checks in your editor"),
        ("next", run, why),
    ]
    rows = [(f"{word:5}", terminal.safe(name), text) for word, name, text in rows]
    lines = aligned(rows)
    return [
        line.replace(name, terminal.ink("bold", name), 1)
        for line, (_, name, _) in zip(lines, rows, strict=True)
    ]
