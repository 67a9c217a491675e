"""The chain of contracts above each item, and the limits that follow from it."""

from collections.abc import Iterator, Mapping

from forge_cli.manifest.meaning.assembly import section
from forge_cli.manifest.meaning.limits import (
    budget,
    narrowest,
    read_deadline,
    role_budget,
    run_budget,
    run_deadline,
)
from forge_cli.manifest.meaning.nodes import Agent, Delegated, Node
from forge_cli.manifest.meaning.topology import Topology
from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.plan import Contract, Deadline

MAX_DEPTH = 3
"""`settings.hierarchical_max_depth` where the manifest does not say it."""


def contracts(topology: Topology) -> Mapping[str, Contract]:
    """Every contract that some item's chain names, from the run inwards."""
    found = {"run": _run(topology)}
    for role in topology.takes_part.values():
        found[f"role:{role.role_id}"] = _role(role)
        if role.delegates_to:
            found[f"delegates:{role.role_id}"] = _delegates(role)
    for delegated in topology.contracts.values():
        if delegated.delegator is not None and delegated.delegate is not None:
            delegates = _delegates(delegated.delegator)
            found[delegates.name] = delegates
            link = _delegation(delegated, delegated.delegator, delegated.delegate)
            found[link.name] = link
    for node in topology.nodes.values():
        if node.children:
            found[f"item:{node.item_id}"] = _group(node)
    return found


def chain(node: Node) -> tuple[str, ...]:
    """The names of the contracts above an item, from the run inwards."""
    links = ["run"]
    above = [] if node.parent is None else [f"item:{node.parent.item_id}"]
    links += above
    delegated = node.contract
    if delegated is not None and delegated.delegator is not None:
        links += [
            f"delegates:{delegated.delegator.role_id}",
            f"delegation:{delegated.delegation_id}",
        ]
    if node.agent is not None and node.way != "inline" and not node.children:
        links.append(f"role:{node.agent.role_id}")
    return tuple(links)


def budget_of(node: Node) -> Budget | None:
    """What is reserved for the item at its start: its own or its contract's budget.

    Of a dimension that this leaves out, it is the least that any role behind the item has, and
    no more than the item above has.
    """
    own = budget(node.terms().get("budget"))
    roles = () if node.children else (role_budget(node), _delegator_budget(node))
    if not any(roles):
        return own
    limits = narrowest(*roles).limits()
    above = narrowest(*_budgets_above(node)).limits()
    limits = {name: min(figure, above.get(name, figure)) for name, figure in limits.items()}
    if own is not None:
        limits |= own.limits()
    return Budget(**limits) if limits else own


def _delegator_budget(node: Node) -> Budget | None:
    delegator = node.contract.delegator if node.contract is not None else None
    return budget(delegator.written.get("budget")) if delegator is not None else None


def _budgets_above(node: Node) -> Iterator[Budget | None]:
    while node.parent is not None:
        node = node.parent
        yield budget(node.own.get("budget"))


def deadline_of(node: Node) -> Deadline | None:
    """The deadline of the item and its contract; None where only the run's holds."""
    return read_deadline(node.terms().get("deadline"))


def _run(topology: Topology) -> Contract:
    return Contract(
        "run",
        delegator="",
        delegate="run",
        scope=topology.scope,
        budget=run_budget(topology.data),
        deadline=run_deadline(topology.data),
        depth=section(topology.data, "settings").get("hierarchical_max_depth", MAX_DEPTH),
    )


def _role(role: Agent) -> Contract:
    return Contract(
        f"role:{role.role_id}",
        delegator="run",
        delegate=role.role_id,
        capabilities=role.capabilities,
        scope=role.scope,
        outputs=role.outputs,
        budget=budget(role.written.get("budget")),
        depth=role.depth,
    )


def _delegates(role: Agent) -> Contract:
    """What a role may hand on: its scope, and of its capabilities what `delegates` says."""
    return Contract(
        f"delegates:{role.role_id}",
        delegator="run",
        delegate=role.role_id,
        capabilities=role.delegated,
        scope=role.scope,
        budget=budget(role.written.get("budget")),
        depth=role.depth,
    )


def _delegation(delegated: Delegated, delegator: Agent, delegate: Agent) -> Contract:
    written = delegated.written
    return Contract(
        f"delegation:{delegated.delegation_id}",
        delegator=delegator.role_id,
        delegate=delegate.role_id,
        capabilities=delegated.capabilities,
        scope=delegated.scope,
        outputs=delegated.outputs,
        budget=budget(written.get("budget")),
        deadline=read_deadline(written.get("deadline")),
        depth=written.get("depth", 0),
        purpose=written.get("purpose", ""),
        parent_attempt=written.get("parent_attempt", ""),
    )


def _group(node: Node) -> Contract:
    """What an item with sub-tasks lets them use: only what it says itself."""
    own = node.own
    return Contract(
        f"item:{node.item_id}",
        delegator="run",
        delegate=node.item_id,
        capabilities=node.capabilities if "capabilities" in own else None,
        scope=node.scope if "scope" in own else None,
        budget=budget(own.get("budget")),
        deadline=read_deadline(own.get("deadline")),
        purpose=own.get("goal", ""),
    )
