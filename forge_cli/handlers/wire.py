"""Turns and results as JSON: what programs read on standard input and workers exchange."""

import json
from collections.abc import Mapping

from forge_cli.multiagent.messages import AgentMessage
from forge_cli.multiagent.plan import Grant, Json
from forge_cli.multiagent.turn import Turn, TurnResult

_encode = json.JSONEncoder(check_circular=False, allow_nan=False, separators=(",", ":")).encode
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
    """The turn as one JSON object, its fields under their names, sets as sorted lists."""
    grant = turn.grant
    fields = {name: getattr(turn, name) for name in PLAIN_FIELDS}
    fields["inputs"] = dict(turn.inputs)
    fields["handler"] = dict(turn.handler)
    fields["budget"] = dict(turn.budget)
    fields["grant"] = {
        "capabilities": sorted(grant.capabilities),
        "actions": sorted(grant.actions),
        "scope": grant.scope,
        "writes": grant.writes,
        "outputs": grant.outputs,
    }
    fields["inbox"] = [
        {name: getattr(message, name) for name in MESSAGE_FIELDS} for message in turn.inbox
    ]
    return _encode(fields).encode()


PLAIN_FIELDS = tuple(
    name for name in Turn.__slots__ if name not in ("inputs", "handler", "budget", "grant", "inbox")
)
MESSAGE_FIELDS = AgentMessage.__slots__


def decode_turn(fields: dict[str, Json]) -> Turn:
    """The turn that `encode_turn` wrote."""
    grant = fields["grant"]
    fields["grant"] = Grant(
        frozenset(grant["capabilities"]),
        frozenset(grant["actions"]),
        tuple(grant["scope"]),
        tuple(grant["writes"]),
        tuple(grant["outputs"]),
    )
    fields["inbox"] = tuple(AgentMessage(**message) for message in fields["inbox"])
    return Turn(**fields)


def encode_result(result: TurnResult) -> dict[str, Json]:
    """The result's fields that are not at their defaults."""
    fields: dict[str, Json] = {"status": result.status}
    for name in RESULT_FIELDS:
        value = getattr(result, name)
        if value not in (None, "", (), {}):
            fields[name] = dict(value) if isinstance(value, Mapping) else value
    return fields


def decode_result(fields: Mapping[str, Json], captured: Mapping[str, str]) -> TurnResult:
    """The result that came over the wire; `ValueError` says which field is not as it must be."""
    if (status := fields.get("status")) not in STATUSES:
        raise ValueError(f"status is {status!a:.40}, not one of {', '.join(STATUSES)}")
    values = {name: fields[name] for name in RESULT_FIELDS if name in fields}
    for name, value in values.items():
        if not CHECKS[name](value):
            raise ValueError(f"{name} is {json.dumps(value)[:100]}, which a result cannot have")
    for name in ("effects", "posts", "requests"):
        if name in values:
            values[name] = tuple(values[name])
    if status == "failed":
        values.setdefault("kind", "error")
    return TurnResult(status, captured=captured, **values)


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _is_object(value: Json) -> bool:
    return isinstance(value, dict)


def _is_list(value: Json) -> bool:
    return isinstance(value, list)


def _is_usage(value: Json) -> bool:
    return isinstance(value, dict) and all(
        isinstance(amount, int) and not isinstance(amount, bool) and amount >= 0
        for amount in value.values()
    )


def _is_texts(value: Json) -> bool:
    return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())


CHECKS = {
    "output": _is_object,
    "evidence": _is_texts,
    "usage": _is_usage,
    "effects": _is_list,
    "kind": _is_text,
    "message": _is_text,
    "partial": lambda _: True,
    "state": lambda _: True,
    "posts": _is_list,
    "requests": _is_list,
}
