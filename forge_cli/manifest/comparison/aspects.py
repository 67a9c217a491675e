"""What is compared of a manifest, aspect by aspect, and how much each difference weighs."""

from collections.abc import Mapping
from typing import Any

from forge_cli.manifest.comparison.acceptance import completion
from forge_cli.manifest.comparison.changes import Verdict
from forge_cli.manifest.comparison.judges import (
    DEMANDED,
    Judge,
    bounded,
    demanded,
    differing,
    granted,
    kept,
    ranked,
    text,
)
from forge_cli.manifest.comparison.limits import allowance, limit, reach
from forge_cli.manifest.comparison.programs import STRONGEST, program
from forge_cli.manifest.comparison.work import condition, elements, order, review
from forge_cli.multiagent.conflicts import RISK_ORDER
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.times import to_span


def _type(old: str, new: str) -> Verdict | None:
    """The type of an input: whoever gives it is refused where fewer values are taken."""
    if old == new:
        return None
    if new == "any" or (old, new) == ("integer", "number"):
        return Verdict("compatible", "widened", text(old), text(new))
    return Verdict("breaking", "narrowed", text(old), text(new))


def _presence(old: bool, new: bool) -> Verdict | None:
    """Whether an input must be given."""
    if old == new:
        return None
    texts = ("required", "has a default") if old else ("has a default", "required")
    if new:
        return Verdict("breaking", "narrowed", *texts, "a run that does not give it is refused")
    return Verdict("compatible", "widened", *texts)


def _join(old: int, new: int) -> Verdict | None:
    """How many roles must succeed."""
    if old == new:
        return None
    if new < old:
        return Verdict("breaking", "loosened", text(old), text(new))
    return Verdict("compatible", "tightened", text(old), text(new))


def _values(old: Mapping[str, Json], new: Mapping[str, Json]) -> Verdict | None:
    """What the run's outputs are made of; that one is new or gone is told of the outputs."""
    both = old.keys() & new.keys()
    return _BEHAVIOUR(
        {key: old[key] for key in old if key in both}, {k: new[k] for k in old if k in both}
    )


_MERGE: Mapping[Any, int] = {"reject": 1, "append": 0, "union": 0}
_SANDBOX: Mapping[Any, int] = {"namespace": 3, STRONGEST: 2, "landlock": 1, "off": 0}
_BEHAVIOUR = differing("behavioural")
_REST = differing("compatible")

JUDGES: Mapping[str, Judge] = {
    "scope": reach,
    "writes": reach,
    "budget": allowance,
    "deadline": limit,
    "timeout": bounded(to_span),
    "depth": bounded(),
    "complexity": bounded(),
    "dynamic decomposition": ranked({False: 1, True: 0}, ("narrowed", "widened")),
    "capabilities": granted,
    "actions": granted,
    "delegates": granted,
    "delegated capabilities": granted,
    "secrets": granted,
    "tools": granted,
    "sandbox": ranked(_SANDBOX, tightening="behavioural"),
    "required": ranked(DEMANDED),
    "approval": ranked(DEMANDED, ("raised", "lowered")),
    "risk": ranked(RISK_ORDER, ("raised", "lowered")),
    "merge": ranked(_MERGE),
    "owner": differing("breaking"),
    "join": _join,
    "completion": completion,
    "criteria": demanded,
    "evidence": demanded,
    "kept evidence": ranked({"full": 1, "digests": 0}, tightening="behavioural"),
    "review": review,
    "outputs": kept,
    "return channel": kept,
    "presence": _presence,
    "type": _type,
    "when": condition,
    "for_each": elements,
    "pattern": differing("breaking"),
    "order": order,
    "handler": program,
    "routing": _BEHAVIOUR,
    "delegator": _BEHAVIOUR,
    "delegate": _BEHAVIOUR,
    "goal": _BEHAVIOUR,
    "inputs": _BEHAVIOUR,
    "content": _BEHAVIOUR,
    "env": _BEHAVIOUR,
    "instructions": _BEHAVIOUR,
    "on_failure": _BEHAVIOUR,
    "on_crash": _BEHAVIOUR,
    "compensate": _BEHAVIOUR,
    "channels": _BEHAVIOUR,
    "rounds": _BEHAVIOUR,
    "default": _BEHAVIOUR,
    "values": _values,
    "context package": _BEHAVIOUR,
    "model family": _BEHAVIOUR,
    "concurrency": _REST,
    "labels": _REST,
    "name": _REST,
    "max_parallel": _REST,
    "declared env": _REST,
    "declared secrets": _REST,
    "parent attempt": _REST,
    "max joint agents": _REST,
    "broadcast buffer size": _REST,
}
"""Aspect to how two values of it are held against each other."""
