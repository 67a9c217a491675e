"""Finds items that are to be compensated on failure, where nothing says how.

`on_failure: compensate` undoes the branch by each item's `compensate`: `restore`, or a program.

Bad:
```yaml
forge: 1
work_items:
  build:
    run: [make]
    capabilities: [repository-write]
    on_failure: compensate
#               ^^^^^^^^^^
```

Good:
```yaml
forge: 1
work_items:
  build:
    run: [make]
    capabilities: [repository-write]
    on_failure: compensate
    compensate: restore
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.subject import Subject

RULE = "missing-compensation"


def check(subject: Subject) -> Iterator[Finding]:
    """Every item whose policy is to compensate and which has no `compensate`."""
    told: set[Path] = set()
    for node in subject.topology.nodes.values():
        policy = node.terms().get("on_failure")
        place: Path = node.place("on_failure")
        if isinstance(policy, dict):
            policy, place = policy.get("then"), (*place, "then")
        if policy == "compensate" and "compensate" not in node.written and place not in told:
            told.add(place)
            yield Finding(
                RULE,
                Spot(place),
                f"item '{node.item_id}' has no 'compensate' that its failure could run",
                "write  compensate: restore  or  compensate: {run: [...]}",
                (Spot(node.path, "key", "the item"),) if node.contract is not None else (),
            )
