"""Sub-tasks side by side; what they may write must not overlap for their results to be joined."""

from itertools import combinations

from forge_cli.multiagent.node import Fate, Node
from forge_cli.multiagent.scope import overlaps


def ready(node: Node) -> Fate:
    """How the item ends, now that every sub-task has."""
    fate = failure(node)
    if fate:
        return fate
    clash = _clash([c for c in node.children if c.status == "succeeded"])
    if clash:
        return Fate("failed", clash, "conflict")
    return Fate("succeeded", "", output=outputs(node))


def failure(node: Node) -> Fate | None:
    """The failure of the item if a required sub-task was lost."""
    lost = [
        c for c in node.children if c.item.required and not c.accepted and c.status != "skipped"
    ]
    if not lost:
        return None
    cause = next((c for c in lost if c.status != "cancelled"), None)
    if cause is None:
        return Fate("cancelled", f"{lost[0].item_id!r} was cancelled", "cancelled")
    return Fate("failed", f"{cause.item_id!r} ended {cause.status}", cause.kind or "error")


def outputs(node: Node) -> dict[str, object]:
    """`{name: outputs of the sub-task}`; null for one that has none."""
    prefix = len(node.item_id) + 1
    return {child.item_id[prefix:]: child.output for child in node.children}


def _clash(children: list[Node]) -> str:
    for one, other in combinations(children, 2):
        path = overlaps(_writes(one), _writes(other))
        if path is not None:
            return f"{one.item_id!r} and {other.item_id!r} may both write {path!r}"
    return ""


def _writes(child: Node) -> tuple[str, ...]:
    """What a sub-task may have written: of one that is done for each element, what these may."""
    if child.pattern != "each":
        return child.grant.writes
    return tuple(
        dict.fromkeys(pattern for element in child.children for pattern in element.grant.writes)
    )
