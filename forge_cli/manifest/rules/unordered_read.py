"""Finds reads of shared state that do not wait for all who write it.

What it would read depends on who is faster. An item that reads `${state.k}` runs after every item
that returns to `k`.

Bad:
```yaml
forge: 1
work_items:
  count:
    run: [wc, -l, notes.txt]
    capabilities: [read]
    return_channel: state:lines
  report:
    run: [echo, "${state.lines}"]
#                ^^^^^^^^^^^^^^
    capabilities: []
```

Good:
```yaml
forge: 1
work_items:
  count:
    run: [wc, -l, notes.txt]
    capabilities: [read]
    return_channel: state:lines
  report:
    run: [echo, "${state.lines}"]
    capabilities: []
    after: [count]
```
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.meaning.nodes import Node
from forge_cli.manifest.meaning.references import Mention
from forge_cli.manifest.meaning.topology import Topology
from forge_cli.manifest.subject import Subject

RULE = "unordered-read"


def check(subject: Subject) -> Iterator[Finding]:
    """Every reader of a key with a writer that it does not surely follow."""
    topology = subject.topology
    readers = _readers(topology)
    if not readers:
        return
    keys = {mention.name for mentions in readers.values() for mention in mentions}
    writers = [n for k in keys for n in topology.state_writers.get(k, ())]
    numbers = {
        name: i for i, name in enumerate(sorted({n.item_id for n in writers} | set(readers)))
    }
    for item, over in topology.order.sweep(numbers):
        for mention in readers.get(item, ()):
            for writer in topology.state_writers.get(mention.name, ()):
                if writer.item_id != item and not over >> numbers[writer.item_id] & 1:
                    yield _finding(topology.nodes[item], mention, writer)
                    break


def _readers(topology: Topology) -> Mapping[str, list[Mention]]:
    readers: dict[str, list[Mention]] = defaultdict(list)
    for item, mentions in topology.mentions.items.items():
        readers[item] += [m for m in mentions if m.root == "state"]
    for node in topology.nodes.values():
        if node.agent is not None and node.way != "inline":
            used = topology.mentions.roles.get(node.agent.role_id, ())
            readers[node.item_id] += [m for m in used if m.root == "state"]
    return {item: mentions for item, mentions in readers.items() if mentions}


def _finding(node: Node, mention: Mention, writer: Node) -> Finding:
    return Finding(
        RULE,
        Spot(mention.path, note=f"'{node.item_id}' does not wait for it", token=mention.text),
        f"item '{node.item_id}' reads state '{mention.name}', which '{writer.item_id}' may"
        " write at the same time",
        f"write  after: [{writer.item_id}]  in '{node.item_id}'",
        (Spot(writer.place("return_channel"), note=f"'{writer.item_id}' writes it"),),
    )
