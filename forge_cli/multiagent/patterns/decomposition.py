"""An item that inserts steps behind itself while it goes on, and ends with the last of them."""

from collections.abc import Mapping

from forge_cli.multiagent.narrowing import RefusedError, draw_within, terms
from forge_cli.multiagent.node import Fate, Node
from forge_cli.multiagent.patterns import hierarchical
from forge_cli.multiagent.plan import Json, Plan

TOOL = "decompose_task"
"""How a turn inserts steps: `{steps: [{goal, capabilities, role?, scope?, budget?, with?}]}`."""

KEYS = frozenset({"goal", "capabilities", "role", "scope", "budget", "with"})


def steps(plan: Plan, asker: Node, arguments: Mapping[str, Json]) -> list[dict[str, Json]]:
    """What the event that inserts steps says of each; `RefusedError` if any of them is refused."""
    hierarchical.check_keys(arguments, frozenset({"steps"}))
    wanted = arguments.get("steps")
    if not isinstance(wanted, list) or not wanted:
        raise RefusedError("invalid-request", "'steps' must be a list that is not empty")
    most = asker.item.max_steps
    if len(inserted(asker)) + len(wanted) > most:
        raise RefusedError("too-many", f"one item may insert {most} steps")
    found = []
    for number, step in enumerate(wanted, start=1):
        try:
            found.append(_step(plan, asker, step))
        except RefusedError as refusal:
            raise RefusedError(refusal.kind, f"step {number}: {refusal}") from None
    return found


def _step(plan: Plan, asker: Node, step: Json) -> dict[str, Json]:
    if not isinstance(step, dict):
        raise RefusedError("invalid-request", "a step must be an object")
    hierarchical.check_keys(step, KEYS)
    goal, inputs = hierarchical.text(step, "goal"), step.get("with", {})
    if not isinstance(inputs, dict):
        raise RefusedError("invalid-request", "'with' must be an object of inputs")
    own = asker.item.role_id
    name = hierarchical.text(step, "role") if "role" in step else own
    if name != own:
        hierarchical.check_delegate(plan, asker, name)
    depth = hierarchical.depth_below(plan, asker)
    if name != own:
        depth = hierarchical.depth_of_child(plan, asker, name)
    granted = terms(plan, asker, plan.roles[name], step)
    draw_within(asker, granted.budget)
    return {**hierarchical.admission(asker, granted, depth, goal), "inputs": inputs}


def inserted(node: Node) -> list[Node]:
    """The steps that the item's present attempts have inserted, in order."""
    return [child for child in node.children[node.earlier :] if is_step(child)]


def is_step(node: Node) -> bool:
    """Whether the node is a step that another item has inserted."""
    return node.origin is not None and node.origin.tool == TOOL


def ready(node: Node) -> Fate:
    """How the item ends, now that every step has: as its own result says, unless one was lost."""
    lost = [step for step in inserted(node) if not step.accepted and step.status != "skipped"]
    if not lost:
        return Fate("succeeded", "", output=node.partial)
    cause = next((step for step in lost if step.status != "cancelled"), None)
    if cause is None:
        return Fate("cancelled", f"{lost[0].item_id!r} was cancelled", "cancelled")
    return Fate("failed", f"{cause.item_id!r} ended {cause.status}", cause.kind or "error")
