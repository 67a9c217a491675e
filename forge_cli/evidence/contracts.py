"""No turn outside its contract: each grant held against every link of its chain."""

from collections.abc import Iterator

from forge_cli.evidence.checks import Faults
from forge_cli.evidence.layout import EVENTS, PLAN
from forge_cli.multiagent import tools
from forge_cli.multiagent.budget import Amounts
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.patterns import decomposition
from forge_cli.multiagent.patterns.hierarchical import depth_below
from forge_cli.multiagent.plan import Contract, Grant, Item
from forge_cli.multiagent.run_state import RunState
from forge_cli.multiagent.scope import contains
from forge_cli.multiagent.times import from_text

Limit = tuple[str, int | None, Amounts]
"""What a link of a chain allows: its name, its deadline in this run, its budget."""


class Contracts:
    """Looks at every turn that starts, once the run has applied its event."""

    def __init__(self, state: RunState) -> None:
        self.faults = Faults("contracts")
        self.turns = 0
        self._state = state
        self._known: dict[tuple[tuple[str, ...], str, Grant], tuple[str, ...]] = {}
        self._limits: dict[tuple[str, ...], tuple[Limit, ...]] = {}

    def check(self, event: Event, line: int) -> None:
        """Note where the turn of a `turn_started` goes beyond a link."""
        if event.kind != "turn_started":
            return
        self.turns += 1
        node = self._state.nodes[event.item]
        beyond = (*self._beyond(node), *self._spent_beyond(event, node))
        if node.origin is not None and node.parent is not None:
            beyond = (*beyond, *self._beyond_asker(node, node.parent))
        for fault in beyond:
            self.faults.add(f"{EVENTS}:{line}: the turn of {event.item!r} {fault}")

    def _beyond(self, node: Node) -> tuple[str, ...]:
        key = (node.item.chain, node.item.role_id, node.grant)
        faults = self._known.get(key)
        if faults is None:
            faults = self._known[key] = tuple(self._beyond_links(node.item, node.grant))
        return faults

    def _beyond_links(self, item: Item, grant: Grant) -> Iterator[str]:
        plan = self._state.plan
        for name in item.chain:
            if name not in plan.contracts:
                yield f"has {name!r} in its chain, which {PLAN} does not have"
            else:
                yield from grant_beyond(grant, plan.contracts[name])
        if item.role_id == tools.ROLE.role_id:
            return  # it has what its asker has, and nothing of its own
        role = plan.roles[item.role_id]
        own = (role.capabilities, role.scope, role.outputs)
        if f"role:{role.role_id}" not in item.chain:
            yield from grant_beyond(grant, Contract(f"role:{role.role_id}", "", "", *own))

    def _spent_beyond(self, event: Event, node: Node) -> Iterator[str]:
        body, item = event.body, node.item
        role = self._state.roles[item.role_id]
        if body["role"] != f"{role.role_id}@{role.version}":
            yield f"is by {body['role']!r}, the plan gives it to '{role.role_id}@{role.version}'"
        if body["timeout"] > item.timeout:
            yield f"may take {body['timeout']} ms, its item {item.timeout} ms"
        deadline = from_text(body["deadline"])
        for name, limit, limits in self._limits.get(item.chain) or self._limits_of(item.chain):
            if limit is not None and deadline > limit:
                yield f"has a deadline after that of {name!r}"
            for dimension, amount in body["slice"].items():
                if amount > limits.get(dimension, amount):
                    yield f"may use {amount} {dimension}, {name!r} allows {limits[dimension]}"
        if deadline > self._state.deadline:
            yield "has a deadline after the run's"
        elif deadline > node.deadline:
            yield "has a deadline after its item's"

    def _beyond_asker(self, node: Node, asker: Node) -> Iterator[str]:
        """Where an item that was asked for goes beyond the one that asked."""
        plan, granted = self._state.plan, asker.grant
        name = f"item:{asker.item_id}"
        yield from grant_beyond(
            node.grant, Contract(name, "", "", granted.capabilities, granted.scope)
        )
        for action in sorted(node.grant.actions - granted.actions):
            yield f"may do {action!r}, which {name!r} may not"
        for scope in node.grant.writes:
            if not contains(granted.writes, scope).holds:
                yield f"may write {scope!r}, which {name!r} may not"
        own = decomposition.is_step(node) and node.item.role_id == asker.item.role_id
        if own or node.item.role_id == tools.ROLE.role_id:
            return
        if node.item.role_id not in plan.roles[asker.item.role_id].delegates:
            yield f"is by {node.item.role_id!r}, to whom {name!r} may not delegate"
        if depth_below(plan, node) >= depth_below(plan, asker):
            yield f"may be followed by as many contracts as {name!r}"

    def _limits_of(self, chain: tuple[str, ...]) -> tuple[Limit, ...]:
        contracts, started = self._state.plan.contracts, self._state.started
        found = self._limits[chain] = tuple(
            (
                link.name,
                link.deadline.resolve(started) if link.deadline else None,
                link.budget.limits() if link.budget else {},
            )
            for link in (contracts[name] for name in chain if name in contracts)
        )
        return found


def grant_beyond(grant: Grant, link: Contract) -> Iterator[str]:
    """Where a grant goes beyond a link: a sentence for each, which names what is too much."""
    if link.capabilities is not None and not grant.capabilities <= link.capabilities:
        surplus = sorted(grant.capabilities - link.capabilities)
        yield f"holds {surplus[0]!r}, which {link.name!r} does not allow"
    if link.outputs is not None and not set(grant.outputs) <= set(link.outputs):
        surplus = sorted(set(grant.outputs) - set(link.outputs))
        yield f"has the output {surplus[0]!r}, which {link.name!r} does not have"
    if link.scope is not None:
        for scope in (*grant.scope, *grant.writes):
            inclusion = contains(link.scope, scope)
            if not inclusion.holds:
                reach = f" (it reaches {inclusion.witness!r})" if inclusion.witness else ""
                yield f"may touch {scope!r}, which {link.name!r} does not cover{reach}"
