"""Finds budgets that allow more than the link above them has in all.

A contract or item with a budget reserves it whole before it starts. One that asks for more than
its role, its delegator, the item above or the run has could never start.

Bad:
```yaml
forge: 1
budget: {model_calls: 10}
work_items:
  build:
    run: [make]
    capabilities: []
    budget: {model_calls: 12}
#                         ^^
```

Good:
```yaml
forge: 1
budget: {model_calls: 10}
work_items:
  build:
    run: [make]
    capabilities: []
    budget: {model_calls: 8}
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.meaning.limits import amount, budget, role_budget, run_budget
from forge_cli.manifest.meaning.nodes import Agent, Node
from forge_cli.manifest.meaning.topology import Topology
from forge_cli.manifest.naming import BREAKS
from forge_cli.manifest.subject import Subject
from forge_cli.multiagent.budget import Budget

RULE = "budget-exceeds-parent"

_Link = tuple[str, Path, Budget | None]
"""A name, where its budget is written (nowhere: ()), and the budget."""


def check(subject: Subject) -> Iterator[Finding]:
    """Compare each budget with those above it, the nearest first."""
    topology = subject.topology
    run = _run(topology)
    for role in topology.roles.values():
        yield from _beyond((*role.path, "budget"), budget(role.written.get("budget")), [run])
        usage = budget(role.written.get("handler", {}).get("max_usage"))
        yield from _beyond((*role.path, "handler", "max_usage"), usage, [_role(role), run])
    for contract in topology.contracts.values():
        links = [_role(contract.delegate), _role(contract.delegator)]
        links += [*map(_item, topology.groups(contract)), run]
        yield from _beyond(
            (*contract.path, "budget"), budget(contract.written.get("budget")), links
        )
    for node in topology.holding("budget"):
        links = [_role(node.agent)] if role_budget(node) else []
        links += [_item(node.parent)] if node.parent is not None else []
        yield from _beyond((*node.path, "budget"), budget(node.own["budget"]), [*links, run])


def _run(topology: Topology) -> _Link:
    return "the run", ("budget",) if "budget" in topology.data else (), run_budget(topology.data)


def _role(role: Agent | None) -> _Link:
    if role is None:
        return "", (), None
    return f"role '{role.role_id}'", (*role.path, "budget"), budget(role.written.get("budget"))


def _item(node: Node) -> _Link:
    return f"item '{node.item_id}'", (*node.path, "budget"), budget(node.own.get("budget"))


def _beyond(path: Path, asked: Budget | None, links: list[_Link]) -> Iterator[Finding]:
    for dimension, figure in (asked.limits() if asked else {}).items():
        for name, place, limit in links:
            most = limit.limits().get(dimension) if limit else None
            if most is not None and figure > most:
                yield _finding((*path, dimension), dimension, figure, most, name, place)
                break


def _finding(path: Path, dimension: str, figure: int, most: int, name: str, place: Path) -> Finding:
    has = f"{name} has {amount(dimension, most)}" + ("" if place else ", the default")
    related = (Spot((*place, dimension), note=has),) if place else ()
    return Finding(
        RULE,
        Spot(path, note=has if not place else f"more than {name} has"),
        f"{dimension} {amount(dimension, figure)} exceeds the {amount(dimension, most)} of {name}",
        f"write  {dimension}: {amount(dimension, most)}  or less\n"
        f"{_raised(dimension, figure, name, place)}, {BREAKS}",
        related,
    )


def _raised(dimension: str, figure: int, name: str, place: Path) -> str:
    if place:
        return f"or raise {dimension} in the budget of {name} to {amount(dimension, figure)}"
    return f"or write  budget: {{{dimension}: {amount(dimension, figure)}}}  at the top"
