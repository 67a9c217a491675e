"""A manifest as a graph: what is done, in which order, by whom, and who hands work to whom."""

from collections.abc import Iterator
from dataclasses import dataclass

from forge_cli.app.course import tops
from forge_cli.manifest.meaning.topology import Topology
from forge_cli.manifest.naming import flow
from forge_cli.multiagent.plan import Item, Plan


@dataclass(frozen=True, slots=True)
class Node:
    """An item or a role: its title, what is known of it line by line, and more `details`.

    `name` tells it from all others of the graph. `parts` are the sub-tasks of an item.
    """

    name: str
    title: str
    facts: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    parts: tuple["Node", ...] = ()


@dataclass(frozen=True, slots=True)
class Edge:
    """From one node to another, by their names; a weak one is dotted."""

    tail: str
    head: str
    label: str = ""
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Graph:
    """Items with their order, and the roles that hand work on, all in manifest order."""

    name: str
    items: tuple[Node, ...]
    order: tuple[Edge, ...]
    roles: tuple[Node, ...]
    handovers: tuple[Edge, ...]


def graph(plan: Plan, topology: Topology) -> Graph:
    """The graph of a plan; `topology` is the meaning of the manifest that it was compiled from."""
    handovers = tuple(dict.fromkeys(_handovers(topology)))
    linked = {end for edge in handovers for end in (edge.tail, edge.head)}
    roles = (
        Node(_role(name), f"{name}@{role.version}")
        for name, role in topology.takes_part.items()
        if _role(name) in linked
    )
    items = tuple(_item(plan, item) for item in tops(plan))
    return Graph(plan.name, items, tuple(_order(plan)), tuple(roles), handovers)


def _item(plan: Plan, item: Item) -> Node:
    parts = tuple(_item(plan, plan.items[name]) for name in item.children)
    facts, details = tuple(_facts(plan, item)), tuple(_details(item))
    return Node(item.item_id, item.item_id, facts, details, parts)


def _facts(plan: Plan, item: Item) -> Iterator[str]:
    yield item.pattern if item.children else _who(plan, item)
    if item.when is not None:
        yield f"when {item.when}"
    if item.for_each is not None:
        values = item.for_each
        yield f"for each of {values if isinstance(values, str) else flow(values)}"
    if item.risk == "irreversible":
        yield "irreversible"
    if not item.required:
        yield "not required"


def _details(item: Item) -> Iterator[str]:
    if item.goal:
        yield item.goal
    if not item.children:
        yield f"may use {', '.join(sorted(item.grant.capabilities)) or 'nothing'}"


def _who(plan: Plan, item: Item) -> str:
    if item.role_id.startswith("inline:"):
        return "inline"
    done_by = f"{item.role_id}@{plan.roles[item.role_id].version}"
    return f"{done_by}, {item.delegation}" if item.delegation else done_by


def _order(plan: Plan) -> Iterator[Edge]:
    for item in plan.items.values():
        yield from (Edge(name, item.item_id) for name in item.depends_on)
        yield from (Edge(name, item.item_id, "after", weak=True) for name in item.after)


def _handovers(topology: Topology) -> Iterator[Edge]:
    for contract in topology.contracts.values():
        if contract.delegator is not None and contract.delegate is not None:
            delegator, delegate = contract.delegator.role_id, contract.delegate.role_id
            yield Edge(_role(delegator), _role(delegate), contract.delegation_id)
    for name, role in topology.takes_part.items():
        for text in role.delegates_to:
            other = topology.agent(text)
            if other is not None:
                yield Edge(_role(name), _role(other.role_id), "may delegate", weak=True)


def _role(role_id: str) -> str:
    return f"role:{role_id}"
