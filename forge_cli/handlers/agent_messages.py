"""What an agent and its model said to each other, as messages and as saved state."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from forge_cli.gateway.secrets import Redactor
from forge_cli.handlers.prompts import from_others
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.turn import Turn

_NOT_SAVED = frozenset({"timestamp", "run_id", "conversation_id", "provider_url"})
"""What differs each time and is never sent to a model."""


def loaded(state: Sequence[Json]) -> list[ModelMessage]:
    """The messages that a saved state holds."""
    return ModelMessagesTypeAdapter.validate_python(list(state))


def saved(message: ModelMessage) -> Json:
    """A message as the state holds it: the same for the same words."""
    return _bare(ModelMessagesTypeAdapter.dump_python([message], mode="json")[0])


def _bare(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _bare(inner)
            for key, inner in value.items()
            if inner is not None and key not in _NOT_SAVED
        }
    return [_bare(inner) for inner in value] if isinstance(value, list) else value


def sound(response: ModelResponse, turn: Turn, redactor: Redactor) -> ModelResponse:
    """The response as it can be kept: Unicode, no secrets, and calls whose ids forge gave."""

    def clean(text: str) -> str:
        return redactor.redact(_unicode(text))

    parts: list[ModelResponsePart] = []
    for part in response.parts:
        if isinstance(part, TextPart | ThinkingPart):
            parts.append(replace(part, content=clean(part.content)))
        elif isinstance(part, ToolCallPart):
            number = sum(isinstance(earlier, ToolCallPart) for earlier in parts)
            name, arguments = clean(part.tool_name), clean(arguments_of(part))
            parts.append(ToolCallPart(name, arguments, f"call-{turn.number}-{number}"))
    details = redactor.redact_json(response.provider_details)
    return replace(response, parts=parts, provider_details=details)


def repaired(response: ModelResponse) -> ModelResponse:
    """The response as servers take it back: calls whose arguments are no object have none."""
    parts = [
        replace(part, args="{}")
        if isinstance(part, ToolCallPart) and not _is_object(arguments_of(part))
        else part
        for part in response.parts
    ]
    return replace(response, parts=parts)


def arguments_of(call: ToolCallPart) -> str:
    """What a call is made with, as the model wrote it: JSON, if it wrote it well."""
    return call.args if isinstance(call.args, str) else json.dumps(call.args or {})


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _unicode(text: str) -> str:
    return text if text.isascii() else text.encode(errors="replace").decode()


def merged(messages: Iterable[ModelMessage]) -> list[ModelMessage]:
    """The messages with those that the same side said one after the other as one.

    Answers to calls come first in it, as every protocol wants them.
    """
    found: list[ModelMessage] = []
    for message in messages:
        last = found[-1] if found else None
        if isinstance(message, ModelRequest) and isinstance(last, ModelRequest):
            parts = [*last.parts, *message.parts]
            parts.sort(key=lambda part: not isinstance(part, ToolReturnPart))
            found[-1] = ModelRequest(parts)
        else:
            found.append(message)
    return found


def incoming(turn: Turn, messages: Sequence[ModelMessage]) -> list[ModelRequestPart]:
    """What came since the last request: answers to calls that are open, then what others sent."""
    calls = open_calls(messages)
    parts: list[ModelRequestPart] = [
        _answer(call, given) for call, given in zip(calls, turn.answers, strict=False)
    ]
    left = calls[len(turn.answers) :]
    parts += (answer(call, "nobody answered this call", "failed") for call in left)
    if turn.inbox:
        parts.append(UserPromptPart(from_others(turn.inbox)))
    return parts


def open_calls(messages: Sequence[ModelMessage]) -> list[ToolCallPart]:
    """The calls of the last response that nothing has answered yet."""
    answered: set[str] = set()
    for message in reversed(messages):
        if isinstance(message, ModelResponse):
            calls = [part for part in message.parts if isinstance(part, ToolCallPart)]
            return [call for call in calls if call.tool_call_id not in answered]
        answered |= {p.tool_call_id for p in message.parts if isinstance(p, ToolReturnPart)}
    return []


def answer(call: ToolCallPart, content: str, outcome: Any = "success") -> ToolReturnPart:
    """What a call is answered with: an outcome of pydantic-ai's tool returns."""
    return ToolReturnPart(call.tool_name, content, call.tool_call_id, outcome=outcome)


def _answer(call: ToolCallPart, given: Mapping[str, Json]) -> ToolReturnPart:
    """The engine's answer to what it was asked for, as data that the call returns."""
    words = {key: given[key] for key in ("status", "output", "error", "partial") if key in given}
    outcome = "success" if given["status"] == "succeeded" else "failed"
    return answer(call, json.dumps(words, ensure_ascii=False), outcome)
