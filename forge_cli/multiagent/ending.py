"""How a run ends: its status, which is never better than the facts, and why."""

from collections.abc import Iterator

from forge_cli.multiagent.assignment import run_outputs
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.resilience import AgentOutcome, assess_outcomes
from forge_cli.multiagent.run_state import RunState


def ending(state: RunState, now: int) -> Event:
    """The end of the run; never better than the facts."""
    body = _verdict(state)
    status = body["status"]
    if state.uncompensated or state.compensated:
        body["compensation"] = "incomplete" if state.uncompensated else "complete"
    if state.plan.outputs and status in ("complete", "degraded"):
        body["outputs"] = run_outputs(state)
    return Event(now, "run_ended", body=body)


def _verdict(state: RunState) -> dict[str, Json]:
    if state.concluded is not None:
        return {key: state.concluded[key] for key in ("status", "missing", "reason")}
    status, missing, reason = _assess(state)
    return {"status": status, "missing": list(missing), "reason": reason}


def _assess(state: RunState) -> tuple[str, tuple[str, ...], str]:
    good = ("succeeded", "skipped")
    lost = [n for n in _judged(state) if n.required and n.ended and n.status not in good]
    if lost or state.stuck:
        roles = sorted({n.item.role_id for n in lost if n.pattern == "turn"})
        return "failed", tuple(roles), state.failing or _cause(lost)
    if state.signal and state.open:
        return "interrupted", (), f"the run got {state.signal}"
    if state.open:
        return "paused", (), ""
    done = [n for n in _judged(state) if n.status != "skipped"]
    required = {n.item.role_id for n in done if n.required and n.pattern == "turn"}
    minimum = state.plan.minimum_successes
    decision = assess_outcomes(
        [_outcome(n) for n in done if n.pattern == "turn" or n.status != "succeeded"],
        required,
        len(required) if minimum is None else minimum,
    )
    reason = "too few roles succeeded" if decision.status == "failed" else ""
    return decision.status, tuple(decision.missing_required), reason


def _judged(state: RunState) -> Iterator[Node]:
    """The items that the run is judged by: how one ended that another asked for is that one's."""
    return (node for node in state.nodes.values() if node.origin is None)


def _outcome(node: Node) -> AgentOutcome:
    return AgentOutcome(node.item.role_id, node.status)


def _cause(lost: list[Node]) -> str:
    first = next((n for n in lost if n.status in ("failed", "denied")), lost[0])
    return f"{first.item_id!r} {first.status} and is required"
