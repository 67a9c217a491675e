"""`forge plugins`: handler kinds, whose they are, and what is broken."""

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Annotated

from forge_cli.app import plugins as use_case
from forge_cli.app.plugins import Kind
from forge_cli.cli.options import Color, TextOrJson, says_less, says_more
from forge_cli.cli.tables import clip, hang, left
from forge_cli.cli.terminal import Terminal, width, write

FORMAT_VERSION = 1
_MOST = 40
_BROKEN = 1


def plugins(
    form: TextOrJson = "text",
    color: Color = "auto",
    quiet: Annotated[bool, says_less("Only what is broken.")] = False,
    verbose: Annotated[
        bool, says_more("What each plug-in's entry point names, and its settings, as well.")
    ] = False,
) -> int:
    """List the handler kinds that there are here; exit 1 if one is broken.

    Plug-ins are installed distributions with entry points of the group forge.handlers.

    \b
    Examples:
      forge plugins
      forge plugins --format json
    """
    found = use_case.kinds()
    terminal = Terminal.of(sys.stdout, color)
    if form == "json":
        write(sys.stdout, [terminal.data(plugins_json(found))])
    else:
        shown = [each for each in found if each.problem or not quiet]
        write(sys.stdout, plugins_lines(shown, terminal, verbose))
    return _BROKEN if any(each.problem for each in found) else 0


def plugins_json(found: Iterable[Kind]) -> str:
    """One document; of forge's own kinds `target` is null, and `problem` of what works."""
    kinds = [
        {**asdict(each), "target": each.target or None, "problem": each.problem or None}
        for each in found
    ]
    document = {"format_version": FORMAT_VERSION, "handlers": kinds}
    return json.dumps(document, ensure_ascii=False, indent=2)


def plugins_lines(found: Sequence[Kind], terminal: Terminal, verbose: bool = False) -> list[str]:
    """A line for each kind; below it what is broken and, with `verbose`, where it comes from."""
    if not found:
        return []
    names = [clip(terminal.safe(each.kind), _MOST) for each in found]
    origins = [clip(terminal.safe(f"{e.distribution} {e.version}".rstrip()), _MOST) for e in found]
    first, second = max(4, *map(width, names)), max(4, *map(width, origins))
    lines = [f"{left('kind', first)}  {left('from', second)}  state"]
    for each, name, origin in zip(found, names, origins, strict=True):
        head = f"{terminal.ink('bold', left(name, first))}  {left(origin, second)}"
        lines.append(f"{head}  {_state(each, terminal)}")
        if each.problem:
            lines += hang("  ", terminal.safe(each.problem))
        if verbose and each.target:
            lines += hang("  entry point  ", terminal.safe(each.target))
            schema = "any" if each.settings is None else json.dumps(each.settings)
            lines += hang("  settings     ", terminal.safe(schema))
    return lines


def _state(kind: Kind, terminal: Terminal) -> str:
    if kind.problem:
        return terminal.ink("red", "BROKEN")
    return terminal.ink("green", "works") if kind.target else "built in"
