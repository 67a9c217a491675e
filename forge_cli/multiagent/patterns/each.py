"""One item for every element of a list; each output becomes a list in the elements' order."""

from forge_cli.multiagent.node import Fate, Node


def ready(node: Node) -> Fate:
    """How the item ends, now that every element has: one that was lost fails it."""
    lost = [c for c in node.children if not c.accepted]
    if lost:
        cause = [c for c in lost if c.status != "cancelled"]
        if not cause:
            return Fate("cancelled", f"{lost[0].item_id!r} was cancelled", "cancelled")
        names = ", ".join(repr(c.item_id) for c in cause[:3])
        more = f" and {len(cause) - 3} more" if len(cause) > 3 else ""
        return Fate("failed", f"{names}{more} ended {cause[0].status}", cause[0].kind or "error")
    output = {
        key: [None if c.output is None else c.output.get(key) for c in node.children]
        for key in node.item.grant.outputs
    }
    return Fate("succeeded", "", output=output)
