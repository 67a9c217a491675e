"""An item that hands work to others while it goes on: what is admitted, and on which terms."""

from collections.abc import Iterator, Mapping

from forge_cli.multiagent.narrowing import RefusedError, Terms, draw_now, terms
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.plan import Json, Plan

TOOL = "delegate_subagent"
"""How a turn asks for a child: `{name, task, capabilities, scope?, budget?, instructions?}`."""

REPETITIONS = 3
"""The same request along one chain is refused the third time.

That is by those above who asks, or by itself in earlier turns; several in one turn are one.
"""

MOST_DESCENDANTS = 1_000
"""Children below one item of the plan, children of children included."""

KEYS = frozenset({"name", "task", "capabilities", "scope", "budget", "instructions"})


def child(plan: Plan, asker: Node, arguments: Mapping[str, Json]) -> dict[str, Json]:
    """What the event that admits a child says of it; `RefusedError` for one that is refused."""
    check_keys(arguments, KEYS)
    task, name = text(arguments, "task"), text(arguments, "name")
    instructions = text(arguments, "instructions") if "instructions" in arguments else ""
    check_delegate(plan, asker, name)
    depth = depth_of_child(plan, asker, name)
    found = terms(plan, asker, plan.roles[name], arguments)
    draw_now(asker, found.budget)
    body = admission(asker, found, depth, task)
    if instructions:
        body["instructions"] = instructions
    _refuse_repetition(asker, asked(body))
    return body


def check_delegate(plan: Plan, asker: Node, name: str) -> None:
    """`RefusedError` for a role that the asker's own does not hand work to."""
    to = plan.roles[asker.item.role_id].delegates
    if name not in to:
        known = ", ".join(to) or "nobody"
        raise RefusedError("denied", f"you may not delegate to {name!r:.80}, only to {known}")


def admission(asker: Node, found: Terms, depth: int, task: str) -> dict[str, Json]:
    """The terms as an event has them."""
    grant = found.grant
    body: dict[str, Json] = {
        "role": f"{found.role.role_id}@{found.role.version}",
        "depth": depth,
        "capabilities": sorted(grant.capabilities),
        "actions": sorted(grant.actions),
        "scope": list(grant.scope),
        "writes": list(grant.writes),
        "outputs": list(grant.outputs),
        "risk": found.risk,
        "timeout": asker.item.timeout,
        "task": task,
    }
    if found.budget:
        body["budget"] = dict(found.budget)
    return body


def asked(body: Mapping[str, Json]) -> tuple[str, ...]:
    """What tells one request from another: who is to do what, and with which rights."""
    return body["role"], body["task"], body.get("instructions", ""), *body["capabilities"]


def check_keys(arguments: Mapping[str, Json], known: frozenset[str]) -> None:
    """`RefusedError` for an argument that there is not, which would be forgotten otherwise."""
    if unknown := sorted(arguments.keys() - known):
        names = ", ".join(sorted(known))
        raise RefusedError(
            "invalid-request", f"unknown argument {unknown[0]!r:.80}; known: {names}"
        )


def text(arguments: Mapping[str, Json], key: str) -> str:
    """A text that is not blank; `RefusedError` for anything else."""
    found = arguments.get(key)
    if not isinstance(found, str) or not found.strip():
        raise RefusedError("invalid-request", f"{key!r} must be a text that is not blank")
    return found


def delegates(plan: Plan, node: Node) -> tuple[str, ...]:
    """The roles that a turn of the item may name; none where no contract may follow below it."""
    role = plan.roles.get(node.item.role_id)
    names = () if role is None else role.delegates
    return names if names and depth_below(plan, node) > 0 else ()


def depth_below(plan: Plan, node: Node) -> int:
    """How many contracts may follow below the item."""
    if node.origin is not None:
        return node.origin.depth
    chain = node.item.chain
    names = (n for n in chain if n == "run" or n.startswith(("role:", "delegation:")))
    return min(plan.contracts[name].depth for name in names)


def depth_of_child(plan: Plan, asker: Node, name: str) -> int:
    """The same of an item that is handed to a role; `RefusedError` if none may follow the asker."""
    left = depth_below(plan, asker)
    if left < 1:
        raise RefusedError("depth", f"no contract may follow below {asker.item_id!r}")
    return min(left - 1, plan.contracts[f"role:{name}"].depth)


def _refuse_repetition(asker: Node, what: tuple[str, ...]) -> None:
    same = sum(each.origin is not None and each.origin.asked == what for each in _chain(asker))
    before = (child.origin for child in asker.children[asker.earlier :])
    turns = {each.turn for each in before if each is not None and each.asked == what}
    same += len(turns - {asker.turn})
    if same >= REPETITIONS - 1:
        raise RefusedError(
            "repetition", f"the same has been asked {same} times along this chain; do it or give up"
        )


def _chain(node: Node) -> Iterator[Node]:
    above: Node | None = node
    while above is not None:
        yield above
        above = above.parent
