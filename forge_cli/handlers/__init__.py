"""The shelf of handlers: how a turn becomes a call.

A kind is a module with `create(context)`. What that gives has `run(turn)`, which is one turn and
raises `Stopped` when it is cancelled, once nothing of the turn is left, and `close()`, which ends
what is kept between turns. A kind that is not in the table is a plug-in's.
"""

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:  # a worker process imports this package, too, and starts without what runs it
    from forge_cli.handlers.context import HandlerContext, OpenHandler

KINDS: Mapping[str, str] = {
    "agent": "forge_cli.handlers.agent",
    "command": "forge_cli.handlers.command",
    "function": "forge_cli.handlers.function",
    "mcp": "forge_cli.handlers.mcp",
}
"""The module of each kind, imported when a run uses it."""

PLUG_IN = "forge_cli.handlers.plugin"
"""The module of all other kinds."""


def create(kinds: Iterable[str], context: "HandlerContext") -> "dict[str, OpenHandler]":
    """A handler for each kind; `ForgeError` for a kind that nobody has."""
    return {kind: _created(kind, context) for kind in kinds}


def _created(kind: str, context: "HandlerContext") -> "OpenHandler":
    if kind in KINDS:
        return cast("OpenHandler", import_module(KINDS[kind]).create(context))
    return cast("OpenHandler", import_module(PLUG_IN).create(kind, context))
