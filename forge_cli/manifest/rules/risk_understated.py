"""Finds items that say they risk less than their grant can do.

The risk decides what happens after a crash and what needs an approval. With only reading and
running tests it is `read_only`, else at least `reversible`; saying more than the grant can do is
fine. What an item with sub-tasks says holds for those that say none themselves.

Bad:
```yaml
forge: 1
work_items:
  build:
    run: [make]
    capabilities: [repository-write]
    risk: read_only
#         ^^^^^^^^^
```

Good:
```yaml
forge: 1
work_items:
  build:
    run: [make]
    capabilities: [repository-write]
    risk: reversible
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.meaning.nodes import Node
from forge_cli.manifest.meaning.topology import Topology
from forge_cli.manifest.subject import Subject
from forge_cli.multiagent.conflicts import RISK_ORDER
from forge_cli.multiagent.terms import Risk

RULE = "risk-understated"


def check(subject: Subject) -> Iterator[Finding]:
    """Compare each `risk` with what the item's grant can do."""
    topology = subject.topology
    for above in topology.holding("risk"):
        said = above.own["risk"]
        node = next((each for each in _held(topology, above) if _understates(said, each)), None)
        if node is None:
            continue
        words = sorted(
            w for w in node.capabilities if topology.vocabulary.risk(frozenset({w})) != said
        )
        yield Finding(
            RULE,
            Spot((*above.path, "risk"), note=f"less than {', '.join(map(repr, words))} can do"),
            f"item '{node.item_id}' says risk '{said}', and its grant is '{node.risk}'",
            f"write  risk: {node.risk}  or take {', '.join(map(repr, words))} out of its grant",
            (Spot(node.place("capabilities"), "key", f"grants {', '.join(map(repr, words))}"),),
        )


def _held(topology: Topology, node: Node) -> list[Node]:
    """Whoever that risk holds for: the item, or its sub-tasks that say none themselves."""
    if not node.children:
        return [node]
    tasks = (topology.nodes[child] for child in node.children)
    return [task for task in tasks if "risk" not in task.own]


def _understates(said: Risk, node: Node) -> bool:
    return RISK_ORDER[said] < RISK_ORDER[node.risk]
