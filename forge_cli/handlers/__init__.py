"""The shelf of handlers: how a turn becomes a call.

A kind is a module with `create(context)`. What that gives has `run(turn)`, which is one turn and
raises `Stopped` when it is cancelled, once nothing of the turn is left, and `close()`, which ends
what is kept between turns.
"""

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, cast

from forge_cli.errors import ForgeError

if TYPE_CHECKING:  # a worker process imports this package, too, and starts without what runs it
    from forge_cli.handlers.context import HandlerContext, OpenHandler

KINDS: Mapping[str, str] = {
    "command": "forge_cli.handlers.command",
    "function": "forge_cli.handlers.function",
}
"""The module of each kind, imported when a run uses it."""


def create(kinds: Iterable[str], context: "HandlerContext") -> "dict[str, OpenHandler]":
    """A handler for each kind; `ForgeError` for a kind that nobody has."""
    handlers: dict[str, OpenHandler] = {}
    for kind in kinds:
        if kind not in KINDS:
            known = ", ".join(sorted(KINDS))
            raise ForgeError(f"there is no handler kind {kind!r} here; there are: {known}")
        handlers[kind] = cast("OpenHandler", import_module(KINDS[kind]).create(context))
    return handlers
