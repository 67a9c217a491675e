"""One item for every element of a list; each output becomes a list in the elements' order."""

from collections.abc import Sequence
from dataclasses import replace

from forge_cli.multiagent.node import Fate, Node
from forge_cli.multiagent.plan import Grant, Json
from forge_cli.multiagent.scope import contains
from forge_cli.multiagent.templates import fill


def elements(node: Node, values: list[Json]) -> list[Node]:
    """One node for each value, waiting to be released."""
    return [
        Node(
            f"{node.item_id}.{index}",
            node.item,
            grant_of(node, value),
            node.payer,
            node.deadline,
            parent=node,
            each=value,
            pending=1,
        )
        for index, value in enumerate(values)
    ]


def grant_of(node: Node, value: Json) -> Grant:
    """What the element of that value may touch."""
    if not node.item.with_each:
        return node.grant
    scope, writes = fill([node.grant.scope, node.grant.writes], lambda _: value)
    return replace(node.grant, scope=tuple(scope), writes=tuple(writes))


def widening(node: Node, values: list[Json], limits: Sequence[tuple[str, ...]]) -> str:
    """Why some element would touch more than its contracts allow, or nothing.

    `limits` are the scopes of the contracts above, each of which must hold every element's.
    """
    found = (_excess(grant_of(node, value), value, limits) for value in values)
    return next((excess for excess in found if excess), "")


def _excess(grant: Grant, value: Json, limits: Sequence[tuple[str, ...]]) -> str:
    within = [(inner, limit) for inner in grant.scope for limit in limits]
    within += [(inner, grant.scope) for inner in grant.writes]
    try:
        beyond = next((pair for pair in within if not contains(pair[1], pair[0]).holds), None)
    except ValueError as fault:
        return f"element {value!r}: {fault}"
    if beyond is None:
        return ""
    inner, limit = beyond
    return f"element {value!r} reaches {inner!r}, beyond {', '.join(limit)}"


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
