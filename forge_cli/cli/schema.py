"""`forge schema`: the JSON Schema of the manifest, for editors."""

import json
import re
import sys
from typing import Annotated

from forge_cli.app import schema as use_case
from forge_cli.cli.options import Color, says_less, says_more
from forge_cli.cli.terminal import Terminal, complain, write

_STRING = re.compile(r'("(?:[^"\\]|\\.)*")(:?)')
_USE = (
    "an editor finds it by the first line of a manifest,\n"
    "  # yaml-language-server: $schema=.forge/manifest.schema.json\n"
    "with this schema kept there, beside the manifest; `forge init` writes both"
)


def schema(
    color: Color = "auto",
    quiet: Annotated[bool, says_less("On one line, without indentation.")] = False,
    verbose: Annotated[
        bool, says_more("Say on standard error where an editor looks for it.")
    ] = False,
) -> int:
    """Print the JSON Schema of the manifest.

    \b
    Examples:
      forge schema
      mkdir -p .forge && forge schema > .forge/manifest.schema.json
    """
    text = use_case.schema()
    if quiet:
        text = json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"))
    elif verbose:
        for line in _USE.split("\n"):
            complain(line, prefix="")
    terminal = Terminal.of(sys.stdout, color)
    write(sys.stdout, [_inked(terminal.data(text), terminal)])
    return 0


def _inked(text: str, terminal: Terminal) -> str:
    """The same JSON with its keys in bold."""
    if not terminal.color:
        return text

    def shown(string: re.Match[str]) -> str:
        return terminal.ink("bold", string[1]) + ":" if string[2] else string[0]

    return _STRING.sub(shown, text)
