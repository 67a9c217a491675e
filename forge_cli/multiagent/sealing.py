"""The terms that an attempt is made under, as one document: its digest is what is approved."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from forge_cli.multiagent import denials
from forge_cli.multiagent.assignment import Assignment
from forge_cli.multiagent.events import Event, item_ended
from forge_cli.multiagent.node import Fate, Node
from forge_cli.multiagent.patterns.resolve import proposals
from forge_cli.multiagent.plan import Grant, Item, Json, Plan
from forge_cli.multiagent.run_state import RunState

FILLED = ("inputs", "goal", "handler")
"""What of a `turn_started` says what the attempt is given, where that is not in the plan."""


@dataclass(frozen=True, slots=True)
class Seal:
    """Terms whose digest is asked for; the answer comes back as `item_sealed`."""

    item: str
    document: Json


def admitted(
    state: RunState, node: Node, assignment: Assignment, now: int
) -> Event | Assignment | Seal:
    """The assignment, or what has to come before it or stands in its place.

    A result that another run was given under the same terms is taken over, unless it came of a
    talk: that is not taken over. What needs an approval waits until these very terms are approved.
    """
    kept = state.reusable.get(node.item_id) if node.board is None else None
    if node.yielded or not (node.item.approval or kept):
        return assignment
    body = assignment.event.body
    if not node.seal:
        return Seal(node.item_id, terms(state.plan, node.item, node.item_id, node.grant, body))
    if kept is not None and kept["digest"] == node.seal and not node.attempt:
        taken = {key: kept[key] for key in ("run", "attempt", "output", "evidence")}
        return Event(now, "item_reused", node.item_id, "", taken)
    if node.item.approval and node.approved != node.seal:
        return Event(now, "approval_requested", node.item_id, "", dict(_request(node, body)))
    return assignment


def concluded(node: Node, fate: Fate, now: int) -> Event | Seal:
    """How an item ends or pauses that takes no turn before, or what has to come first.

    Between irreversible proposals nothing is chosen before these very ones are approved.
    """
    if fate.kind == denials.KIND:
        return Event(
            now, "item_paused", node.item_id, body={"kind": fate.kind, "reason": fate.reason}
        )
    if fate.status != "paused":
        return item_ended(now, node.item_id, fate.status, fate.kind, fate.reason)
    proposed = {
        p.agent_id: {"value": p.value, "risk": p.risk, "evidence_count": p.evidence_count}
        for p in proposals(node)
    }
    if not node.seal:
        return Seal(node.item_id, {"item": node.item_id, "proposals": proposed})
    reason = f"it awaits an approval ({fate.reason}): all of its proposals are irreversible"
    body = {"digest": node.seal, "reason": reason, "inputs": proposed}
    return Event(now, "approval_requested", node.item_id, "", body)


def _request(node: Node, body: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    risk = "is irreversible and " if node.item.risk == "irreversible" else ""
    yield "digest", node.seal
    yield "reason", f"it {risk}awaits an approval"
    yield from ((key, body[key]) for key in FILLED if key in body)


def terms(
    plan: Plan, item: Item, item_id: str, grant: Grant, body: Mapping[str, Json]
) -> dict[str, Json]:
    """Contract, handler and inputs of an attempt; `body` is that of its first `turn_started`.

    Budgets and times are not among them: an attempt that may spend less has the same result.
    """
    handler = plan.roles[item.role_id].handler
    return {
        "item": item_id,
        "role": body["role"],
        "capabilities": sorted(grant.capabilities),
        "actions": sorted(grant.actions),
        "scope": list(grant.scope),
        "writes": list(grant.writes),
        "outputs": list(grant.outputs),
        "completion": plan.schemas.get(item.completion or ""),
        "criteria": list(item.criteria),
        "evidence": list(item.evidence),
        "context": plan.context_packages.get(item.context_package or ""),
        "handler": [handler.kind, handler.digest, body.get("handler", handler.config)],
        "goal": body.get("goal", item.goal),
        "inputs": body.get("inputs", {}),
    }
