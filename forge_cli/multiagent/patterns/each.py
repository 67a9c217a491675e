"""One item for every element of a list; each output becomes a list in the elements' order."""

from dataclasses import replace

from forge_cli.multiagent.node import Fate, Node
from forge_cli.multiagent.plan import Grant, Json
from forge_cli.multiagent.templates import fill


def elements(node: Node, values: list[Json]) -> list[Node]:
    """One node for each value, waiting to be released."""
    return [_element(node, f"{node.item_id}.{i}", value) for i, value in enumerate(values)]


def _element(node: Node, name: str, value: Json) -> Node:
    grant = _grant(node.grant, value) if node.item.with_each else node.grant
    return Node(
        name, node.item, grant, node.payer, node.deadline, parent=node, each=value, pending=1
    )


def _grant(grant: Grant, value: Json) -> Grant:
    scope, writes = fill([grant.scope, grant.writes], lambda _: value)
    return replace(grant, scope=tuple(scope), writes=tuple(writes))


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
