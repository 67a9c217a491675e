"""A result without the values of secrets, wherever the handler may have put them."""

from dataclasses import replace
from typing import Any

from forge_cli.gateway.secrets import Redactor
from forge_cli.handlers.context import OpenHandler, Stopped
from forge_cli.multiagent.budget import DIMENSIONS
from forge_cli.multiagent.turn import Turn, TurnResult

FREE = ("evidence", "effects", "message", "partial", "state", "posts", "requests")
"""Fields that hold a handler's own words; its status, kind and dimensions of usage are forge's."""


def masked(result: TurnResult, redactor: Redactor, outputs: tuple[str, ...]) -> TurnResult:
    """The result without secrets in texts and numbers, but for the keys that its contract names."""
    if not redactor.knows_any:
        return result
    values: dict[str, Any] = {}
    for name in FREE:
        value = getattr(result, name)
        clean = redactor.redact_json(list(value) if isinstance(value, tuple) else value)
        values[name] = tuple(clean) if isinstance(value, tuple) else clean
    if result.output is not None:
        values["output"] = {
            key if key in outputs else redactor.redact(key): redactor.redact_json(value)
            for key, value in result.output.items()
        }
    if result.usage:
        values["usage"] = {
            key if key in DIMENSIONS else redactor.redact(key): value
            for key, value in result.usage.items()
        }
    return replace(result, **values)


def unknowing(handler: OpenHandler, redactor: Redactor) -> OpenHandler:
    """The handler with nothing in its results that is a secret; itself where none is known."""
    return _Unknowing(handler, redactor) if redactor.knows_any else handler


class _Unknowing:
    """The one door by which results come in, whatever made them: also recorded and stopped ones.

    Handlers mask before they cut a text short. What they overlook is masked here.
    """

    def __init__(self, handler: OpenHandler, redactor: Redactor) -> None:
        self._handler = handler
        self._redactor = redactor

    async def run(self, turn: Turn) -> TurnResult:
        """Have the turn made."""
        try:
            result = await self._handler.run(turn)
        except Stopped as stopped:
            raise Stopped(masked(stopped.result, self._redactor, turn.grant.outputs)) from None
        return masked(result, self._redactor, turn.grant.outputs)

    async def close(self) -> None:
        """Close the handler."""
        await self._handler.close()
