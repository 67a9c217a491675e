"""Finds items that say they risk less than their grant can do.

The risk decides what happens after a crash and what needs an approval. With only reading and
running tests it is `read_only`, else at least `reversible`; saying more than the grant can do is
fine.

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
from forge_cli.manifest.subject import Subject
from forge_cli.multiagent.conflicts import RISK_ORDER

RULE = "risk-understated"


def check(subject: Subject) -> Iterator[Finding]:
    """Compare each `risk` with what the item's grant can do."""
    topology = subject.topology
    for node in topology.holding("risk"):
        said = node.own["risk"]
        if node.children or RISK_ORDER[said] >= RISK_ORDER[node.risk]:
            continue
        words = sorted(
            w for w in node.capabilities if topology.vocabulary.risk(frozenset({w})) != said
        )
        yield Finding(
            RULE,
            Spot((*node.path, "risk"), note=f"less than {', '.join(map(repr, words))} can do"),
            f"item '{node.item_id}' says risk '{said}', and its grant is '{node.risk}'",
            f"write  risk: {node.risk}  or take {', '.join(map(repr, words))} out of its grant",
            (Spot(node.place("capabilities"), "key", f"grants {', '.join(map(repr, words))}"),),
        )
