"""Finds items that may run side by side and may write the same path.

Whoever ends last would win, and nobody would know. Order them, or let each write its own part.

Bad:
```yaml
forge: 1
work_items:
  api:
    run: [make, api]
    capabilities: [repository-write]
    writes: [files:src/**]
  web:
    run: [make, web]
    capabilities: [repository-write]
    writes: [files:src/web/**]
#            ^^^^^^^^^^^^^^^^
```

Good:
```yaml
forge: 1
work_items:
  api:
    run: [make, api]
    capabilities: [repository-write]
    writes: [files:src/api/**]
  web:
    run: [make, web]
    capabilities: [repository-write]
    writes: [files:src/web/**]
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.meaning.nodes import Node
from forge_cli.manifest.meaning.overlaps import Overlaps
from forge_cli.manifest.meaning.scopes import EACH, MOST_ELEMENTS, TOO_MUCH, elements, fault, spent
from forge_cli.manifest.subject import Subject

RULE = "write-conflict"


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for each item or element that overlaps with an unordered one before it."""
    for finding in _found(subject):
        if spent():
            message, hint = TOO_MUCH
            yield Finding(RULE, Spot(finding.spot.path, finding.spot.part), message, hint)
            return
        yield finding


def _found(subject: Subject) -> Iterator[Finding]:
    topology = subject.topology
    for node in topology.holding("for_each"):
        yield from _elements(node)
    writers = [node for node in topology.nodes.values() if node.writes and not node.children]
    if len(writers) < 2:
        return
    numbers = {node.item_id: number for number, node in enumerate(writers)}
    seen = Overlaps()
    for item, over in topology.order.sweep(numbers):
        number = numbers[item]
        texts = _texts(writers[number])
        clash = seen.first(texts, excluding=over)
        if clash is not None:
            first, second = sorted((number, clash[0]))
            index = clash[1] if second == number else None
            yield _finding(writers[first], writers[second], index, clash[2])
        seen.add(texts, number)


def _elements(node: Node) -> Iterator[Finding]:
    """The first element that may write what one before it may; they go side by side."""
    each = node.own["for_each"]
    apart = node.writes and all(EACH in text for text in node.writes)
    many = not isinstance(each, list) or len(each) > MOST_ELEMENTS
    if not apart or many or node.own.get("max_parallel") == 1:
        return
    seen = Overlaps()
    for number, writes in enumerate(elements(node.writes, each)):
        texts = [pair for pair in enumerate(writes) if not fault(pair[1])]
        clash = seen.first(texts, excluding=0)
        if clash is not None:
            yield Finding(
                RULE,
                Spot((*node.path, "for_each", number), note=f"may write {clash[2]!r} as well"),
                f"elements {clash[0]} and {number} of item '{node.item_id}' may run side by side"
                f" and both write {clash[2]!r}",
                "write  max_parallel: 1  or let each write a part of its own",
                (Spot((*node.path, "for_each", clash[0]), note=f"may write {clash[2]!r}"),),
            )
            return
        seen.add(texts, number)


def _texts(node: Node) -> list[tuple[int, str]]:
    each = node.written.get("for_each")
    return list(
        dict.fromkeys(
            (index, text)
            for index, written in enumerate(node.writes)
            for (text,) in elements((written,), each)
            if text.startswith("files:") and not fault(text)
        )
    )


def _finding(first: Node, second: Node, index: int | None, path: str) -> Finding:
    spot = _spot(second, f"may write {path!r}")
    if index is not None and spot.path[-1] == "writes":
        spot = Spot((*spot.path, index), note=spot.note)
    return Finding(
        RULE,
        spot,
        f"items '{first.item_id}' and '{second.item_id}' may run side by side"
        f" and both write {path!r}",
        f"write  depends_on: [{first.item_id}]  in '{second.item_id}',"
        " or let each write a part of its own",
        (_spot(first, f"may write {path!r} as well"),),
    )


def _spot(node: Node, note: str) -> Spot:
    place = node.place("writes")
    if place[-1] == "writes":
        return Spot(place, note=note)
    return Spot(node.path, "key", f"{note}: it names no writes, so its scope counts")
