"""Finds budgets of items that add up to more than the link above them has.

It is allowed: budgets are reserved when items start, and what one did not use comes back. But if
all of them start, the last ones may be denied.

Bad:
```yaml
forge: 1
budget: {model_calls: 10}
#                     ^^
work_items:
  build: {run: [make], capabilities: [], budget: {model_calls: 6}}
  check: {run: [make, check], capabilities: [], budget: {model_calls: 6}}
```

Good:
```yaml
forge: 1
budget: {model_calls: 12}
work_items:
  build: {run: [make], capabilities: [], budget: {model_calls: 6}}
  check: {run: [make, check], capabilities: [], budget: {model_calls: 6}}
```
"""

from collections import defaultdict
from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.meaning.limits import amount, budget, run_budget
from forge_cli.manifest.meaning.nodes import Node
from forge_cli.manifest.subject import Subject
from forge_cli.multiagent.budget import Budget

RULE = "budget-oversubscribed"


def check(subject: Subject) -> Iterator[Finding]:
    """Add up the budgets below the run, and below each item with sub-tasks."""
    topology = subject.topology
    sums: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for node in topology.nodes.values():
        written = node.terms().get("budget")
        if written is None:
            continue
        above = node.parent.item_id if node.parent is not None else ""
        for dimension, figure in (budget(written) or Budget()).limits().items():
            sums[above][dimension] += [figure] * _times(node)
    for item, totals in sums.items():
        if not item:
            place: Path = ("budget",) if "budget" in topology.data else ()
            yield from _over("the run", place, run_budget(topology.data), totals)
        elif "budget" in topology.nodes[item].own:
            above_node = topology.nodes[item]
            limit = budget(above_node.own["budget"]) or Budget()
            yield from _over(f"item '{item}'", (*above_node.path, "budget"), limit, totals)


def _times(node: Node) -> int:
    elements = node.written.get("for_each")
    return len(elements) if isinstance(elements, list) else 1


def _over(
    name: str, place: Path, limit: Budget, figures: dict[str, list[int]]
) -> Iterator[Finding]:
    for dimension, most in limit.limits().items():
        total = sum(figures.get(dimension, ()))
        # One that is too large by itself is told as that.
        if total > most and max(figures[dimension]) <= most:
            shown = amount(dimension, total), amount(dimension, most)
            yield Finding(
                RULE,
                Spot(
                    (*place, dimension) if place else ("work_items",), "value" if place else "key"
                ),
                f"the {dimension} below {name} add up to {shown[0]}, and it has {shown[1]}",
                f"write  {dimension}: {shown[0]}  or let the items ask for less",
                severity="warning",
            )
