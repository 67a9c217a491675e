"""What the world answers, as the events that record it: the same words on every engine."""

from collections.abc import Mapping
from typing import Any, get_args

from forge_cli.canonical import digest
from forge_cli.gateway.acceptance import known_usage, usage_fault
from forge_cli.gateway.artifacts import opened_for
from forge_cli.gateway.expressions import ExpressionError, holds
from forge_cli.multiagent.assignment import Assignment
from forge_cli.multiagent.compensation import RESTORE
from forge_cli.multiagent.denials import denied
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import FailureKind, Json
from forge_cli.multiagent.ports import Artifacts, Judge, Kept
from forge_cli.multiagent.responses import objection
from forge_cli.multiagent.run import Command, Evaluate
from forge_cli.multiagent.run_state import RunState
from forge_cli.multiagent.saving import delta
from forge_cli.multiagent.sealing import Seal
from forge_cli.multiagent.turn import Turn, TurnResult
from forge_cli.multiagent.values import noted

_KINDS = frozenset(get_args(FailureKind))

_HANDED_ON = ("partial", "posts", "requests", "not_executed", "state", "added")
"""What a turn says of its own that others, or its next turn, are given."""


def carried_out(command: Command, now: int, artifacts: Artifacts) -> Event:
    """The event of a command: what was decided, or the answer to what was asked."""
    if isinstance(command, Assignment):
        return command.event
    if isinstance(command, Event):
        return command
    if isinstance(command, Seal):
        body = {"digest": digest(command.document)}
        return Event(now, "item_sealed", command.item, body=body)
    return Event(now, "condition_evaluated", command.item, body=_evaluated(command, artifacts))


def _evaluated(command: Evaluate, artifacts: Artifacts) -> dict[str, Json]:
    try:
        context = opened_for(command.expression, command.context, artifacts)
        return {"value": holds(command.expression, context)}
    except ExpressionError as fault:
        return {"value": None, "error": str(fault)}


def ignored(
    state: RunState, sender: str, attempt: str, turn: int, now: int, item: str = ""
) -> Event | None:
    """The event of a response that answers no turn which is running; None if it answers one."""
    fault = objection(state, attempt, sender, turn)
    if not fault:
        return None
    return Event(now, "response_ignored", item, attempt, {"sender": sender, "reason": fault})


def response(
    state: RunState,
    judge: Judge,
    turn: Turn,
    result: TurnResult,
    sender: str,
    now: int,
    expired: tuple[str, str] | None = None,
) -> Event:
    """The event that a result becomes which came from `sender`, as the answer to the turn.

    `expired` is the kind and the reason if the turn's time was over before it answered.
    """
    if fault := usage_fault(result.usage):
        known, effects, captured = known_usage(result.usage), result.effects, result.captured
        result = TurnResult.failed("invalid-output", fault, None, known, effects, captured)
    body = _body(sender, turn.number, result) | delta(turn.state, result.state)
    found = denied(state.plan, state.nodes[turn.item_id], turn.handler_kind, result.effects)
    if fault := _reference_fault(body):
        usage, effects, captured = result.usage, result.effects, result.captured
        result = TurnResult.failed("invalid-output", fault, None, usage, effects, captured)
        body = _body(sender, turn.number, result)
    if found:
        body["denials"] = found
    if expired and result.status == "failed":
        # What the handler adds behind its first word names what outlived KILL.
        body["kind"] = expired[0]
        body["message"] = expired[1] + result.message.removeprefix("stopped")
    if result.status == "done":
        verdict = judge.judge(turn, result)
        body["output"] = verdict.output
        body["verdict"] = {"accepted": verdict.accepted, "reason": verdict.reason}
        if verdict.evidence:
            body["verdict"]["evidence"] = dict(verdict.evidence)
    return Event(now, "turn_ended", turn.item_id, turn.attempt_id, body)


def expiry(turn: Turn, now: int) -> tuple[str, str]:
    """Kind and reason of a turn whose time is over at `now` (milliseconds since the epoch)."""
    if now >= turn.deadline:
        return "deadline", "deadline has passed"
    return "timeout", f"timeout after {turn.timeout / 1000:g} s"


def snapshot_taken(turn: Turn, kept: Kept, now: int) -> Event:
    """What was kept before the turn's handler is called."""
    body = {"snapshot": kept.snapshot, "files": kept.files}
    return Event(now, "snapshot_taken", turn.item_id, turn.attempt_id, body)


def compensated(
    state: RunState, turn: Turn, result: TurnResult, now: int, expired: bool = False
) -> Event:
    """How a compensation that is in flight ended, which a turn stands for.

    One that a signal cut short is neither done nor failed; `expired` says that its time was over.
    """
    body: dict[str, Any] = {"status": "done" if result.status == "done" else "failed"}
    if result.status != "done":
        body["message"] = result.message or f"it {result.status}, which undoes nothing"
    if expired and result.status != "done":
        body["message"] = f"timeout after {turn.timeout / 1000:g} s"
    elif result.kind == "cancelled" and state.compensating[turn.attempt_id].cancelled:
        body["status"] = "cancelled"
    elif result.status == "done" and turn.handler_kind == RESTORE:
        body |= result.output or {}
    if result.captured:
        body["captured"] = dict(result.captured)
    return Event(now, "compensation_ended", turn.item_id, turn.attempt_id, body)


def _reference_fault(body: Mapping[str, Json]) -> str:
    """Only forge itself says that a value is kept as an artifact; whoever gets it is given that."""
    said = [name for name in _HANDED_ON if name in body]
    forged = next((name for name in said if any(noted(body[name]))), None)
    what = {"added": "state", "not_executed": "requests"}.get(forged or "", forged)
    return "" if forged is None else f"its {what} has the form of a reference to an artifact"


def _body(sender: str, turn: int, result: TurnResult) -> dict[str, Any]:
    """What of a result is recorded: everything that is there."""
    usage: Mapping[str, int] | None = None if result.usage is None else dict(result.usage)
    body: dict[str, Any] = {"status": result.status, "sender": sender, "usage": usage}
    if turn > 1:
        body["turn"] = turn
    if result.status == "failed":
        body["kind"] = result.kind if result.kind in _KINDS else "error"
        body["message"] = result.message
    for name in ("partial", "effects", "posts", "requests", "captured"):
        value = getattr(result, name)
        if value:
            body[name] = list(value) if isinstance(value, tuple) else value
    if result.status != "yields" and result.requests:
        body["not_executed"] = body.pop("requests")
    return body
