"""Finds items that are to be compensated on failure, where nothing says how.

`on_failure: compensate` undoes the branch by each item's `compensate`: `restore`, or a program. Of
an item with sub-tasks, one that says how it is undone is enough: the others may change nothing.

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

from collections.abc import Iterator, Mapping

from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.meaning.nodes import Node
from forge_cli.manifest.subject import Subject

RULE = "missing-compensation"


def check(subject: Subject) -> Iterator[Finding]:
    """Every item whose policy is to compensate and which has no `compensate`."""
    told: set[Path] = set()
    nodes = subject.topology.nodes
    for node in nodes.values():
        if _is_undone(node, nodes):
            continue
        policy = node.terms().get("on_failure")
        place: Path = node.place("on_failure")
        if isinstance(policy, dict):
            policy, place = policy.get("then"), (*place, "then")
        if policy == "compensate" and place not in told:
            told.add(place)
            yield Finding(
                RULE,
                Spot(place),
                f"item '{node.item_id}' has no 'compensate' that its failure could run",
                "write  compensate: restore  or  compensate: {run: [...]}",
                (Spot(node.path, "key", "the item"),) if node.contract is not None else (),
            )


def _is_undone(node: Node, nodes: Mapping[str, Node]) -> bool:
    """Whether the item, or one that is undone with it as the same policy says, tells how."""
    while node.parent is not None and "on_failure" not in node.own and node.contract is None:
        node = node.parent
    return _tells(node, nodes)


def _tells(node: Node, nodes: Mapping[str, Node]) -> bool:
    return "compensate" in node.written or any(_tells(nodes[n], nodes) for n in node.children)
