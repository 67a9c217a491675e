"""Finds items that wait for each other in a ring, so that none of them could start.

`depends_on`, `after` and every reference to another item's output or status make an item wait; a
sub-task also waits for what its item waits for.

Bad:
```yaml
forge: 1
work_items:
  build:
    run: [make]
    capabilities: []
    depends_on: [check]
#                ^^^^^
  check:
    run: [make, check]
    capabilities: []
    depends_on: [build]
```

Good:
```yaml
forge: 1
work_items:
  build:
    run: [make]
    capabilities: []
  check:
    run: [make, check]
    capabilities: []
    depends_on: [build]
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.meaning.nodes import Node
from forge_cli.manifest.meaning.topology import Topology
from forge_cli.manifest.subject import Subject

RULE = "dependency-cycle"
MOST_SHOWN = 8
"""Items of a ring that a message names."""


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for each ring, at the first link that is written, with the others beside it."""
    topology = subject.topology
    for found in topology.order.rings():
        ring = _from_a_written_link(topology, found)
        pairs = list(zip(ring, (*ring[1:], ring[0]), strict=True))
        spots = [_link(topology, topology.nodes[item], other) for item, other in pairs]
        names = [*ring, ring[0]]
        if len(names) > MOST_SHOWN:
            names = [*names[: MOST_SHOWN - 1], f"({len(ring) - MOST_SHOWN + 1} more)", ring[0]]
        yield Finding(
            RULE,
            spots[0],
            f"item '{ring[0]}' waits for itself: {' -> '.join(names)}",
            "take out one of these links",
            tuple(spots[1:MOST_SHOWN]),
        )


def _from_a_written_link(topology: Topology, ring: tuple[str, ...]) -> tuple[str, ...]:
    """The ring from its first link that is written: that an item waits for its sub-tasks is not."""
    for index, item in enumerate(ring):
        if _link(topology, topology.nodes[item], ring[(index + 1) % len(ring)]).part == "value":
            return ring[index:] + ring[:index]
    return ring


def _link(topology: Topology, node: Node, other: str) -> Spot:
    note = f"'{node.item_id}' waits for '{other}'"
    at: Node | None = node
    while at is not None:
        for key in ("depends_on", "after"):
            for index, name in enumerate(at.own.get(key, ())):
                found = topology.find(name, at)
                if found is not None and found.item_id == other:
                    return Spot((*at.path, key, index), note=note)
        for mention in topology.mentions.items.get(at.item_id, ()):
            if mention.root == "items" and mention.name == other:
                return Spot(mention.path, note=note, token=mention.text)
        at = at.parent
    return Spot(node.path, "key", note)
