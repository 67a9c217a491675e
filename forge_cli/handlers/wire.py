"""Turns and results as JSON: what programs read on standard input and workers exchange."""

import json
from collections.abc import Mapping
from dataclasses import fields

from forge_cli.canonical import encoder
from forge_cli.multiagent.grants import Grant
from forge_cli.multiagent.messages import AgentMessage
from forge_cli.multiagent.terms import Json
from forge_cli.multiagent.turn import Turn, TurnResult

_encode = encoder(ensure_ascii=True, sort_keys=False)
OPEN = ("output", "usage", "partial", "state")
"""Fields whose emptiness says something else than their absence."""

STATUSES = ("done", "failed", "yields")
RESULT_FIELDS = (
    "output",
    "evidence",
    "usage",
    "effects",
    "kind",
    "message",
    "partial",
    "state",
    "posts",
    "requests",
)
"""The fields of a result that a handler may set; what was captured is forge's own word."""


def encode_turn(turn: Turn) -> bytes:
    """The turn as one JSON object, its fields under their names, sets as sorted lists.

    `context`, `completion`, `inbox`, `state`, `group` and `answers` are left out where there is
    none.
    """
    grant = turn.grant
    words: dict[str, Json] = {
        "run_id": turn.run_id,
        "item_id": turn.item_id,
        "attempt_id": turn.attempt_id,
        "key": turn.key,
        "number": turn.number,
        "role_id": turn.role_id,
        "role_version": turn.role_version,
        "purpose": turn.purpose,
        "handler_kind": turn.handler_kind,
        "timeout": turn.timeout,
        "deadline": turn.deadline,
        "inputs": dict(turn.inputs),
        "handler": dict(turn.handler),
        "budget": dict(turn.budget),
        "grant": {
            "capabilities": sorted(grant.capabilities),
            "actions": sorted(grant.actions),
            "scope": grant.scope,
            "writes": grant.writes,
            "outputs": grant.outputs,
        },
    }
    for name in OPTIONAL:
        if (value := getattr(turn, name)) is not None:
            words[name] = value
    if turn.inbox:
        words["inbox"] = [
            {name: getattr(message, name) for name in MESSAGE} for message in turn.inbox
        ]
    if turn.max_steps:
        words["max_steps"] = turn.max_steps
    if turn.delegates:
        words["delegates"] = turn.delegates
    if turn.answers:
        words["answers"] = list(turn.answers)
    return _encode(words).encode()


OPTIONAL = ("context", "completion", "state", "group")
MESSAGE = tuple(field.name for field in fields(AgentMessage))


def decode_turn(words: dict[str, Json]) -> Turn:
    """The turn that `encode_turn` wrote."""
    grant = words["grant"]
    words["grant"] = Grant(
        frozenset(grant["capabilities"]),
        frozenset(grant["actions"]),
        tuple(grant["scope"]),
        tuple(grant["writes"]),
        tuple(grant["outputs"]),
    )
    words["inbox"] = tuple(AgentMessage(**message) for message in words.get("inbox", ()))
    for name in ("delegates", "answers"):
        words[name] = tuple(words.get(name, ()))
    return Turn(**words)


def encode_result(result: TurnResult) -> dict[str, Json]:
    """The result's fields that are not at their defaults."""
    words: dict[str, Json] = {"status": result.status}
    for name in RESULT_FIELDS:
        value = getattr(result, name)
        if value is not None and (value or name in OPEN):
            words[name] = dict(value) if isinstance(value, Mapping) else value
    return words


def decode_result(words: Mapping[str, Json]) -> TurnResult:
    """The result that came over the wire; `ValueError` says which field is not as it must be."""
    if (status := words.get("status")) not in STATUSES:
        raise ValueError(f"status is {status!a:.40}, not one of {', '.join(STATUSES)}")
    values = {name: words[name] for name in RESULT_FIELDS if name in words}
    for name, value in values.items():
        if not CHECKS[name](value):
            raise ValueError(f"{name} is {json.dumps(value)[:100]}, which a result cannot have")
    for name in ("effects", "posts", "requests"):
        if name in values:
            values[name] = tuple(values[name])
    if status == "failed":
        values.setdefault("kind", "error")
    return TurnResult(status, **values)


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _is_object(value: Json) -> bool:
    return isinstance(value, dict)


def _is_list(value: Json) -> bool:
    return isinstance(value, list)


def _is_texts(value: Json) -> bool:
    return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())


CHECKS = {
    "output": _is_object,
    "evidence": _is_texts,
    "usage": _is_object,
    "effects": _is_list,
    "kind": _is_text,
    "message": _is_text,
    "partial": lambda _: True,
    "state": lambda _: True,
    "posts": _is_list,
    "requests": _is_list,
}
