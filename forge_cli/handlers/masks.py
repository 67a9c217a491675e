"""A result without the values of secrets, wherever the handler may have put them."""

from dataclasses import replace
from typing import Any

from forge_cli.gateway.secrets import Redactor
from forge_cli.multiagent.budget import DIMENSIONS
from forge_cli.multiagent.turn import TurnResult

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
