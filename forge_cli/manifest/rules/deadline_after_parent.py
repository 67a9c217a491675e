"""Finds deadlines and timeouts that lie behind the deadline above them.

Spans are compared with spans and times with times; a span and a time can be compared only when it
is known when the run starts. A contract ends no later than an item of which it does a sub-task.

Bad:
```yaml
forge: 1
deadline: 1h
work_items:
  build:
    run: [make]
    capabilities: []
    deadline: 2h
#             ^^
```

Good:
```yaml
forge: 1
deadline: 2h
work_items:
  build:
    run: [make]
    capabilities: []
    deadline: 1h
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.meaning.limits import later, read_deadline, read_duration
from forge_cli.manifest.meaning.nodes import Node
from forge_cli.manifest.meaning.topology import Topology
from forge_cli.manifest.naming import BREAKS
from forge_cli.manifest.subject import Subject
from forge_cli.multiagent.grants import DEFAULT_DEADLINE, Deadline

RULE = "deadline-after-parent"

_Link = tuple[str, Path, str, Deadline]
"""A name, where its deadline is written (nowhere: ()), its text and what that means."""


def check(subject: Subject) -> Iterator[Finding]:
    """Compare each deadline and timeout with the nearest deadline above."""
    topology = subject.topology
    run = _run(topology)
    for contract in topology.contracts.values():
        found = read_deadline(contract.written.get("deadline"))
        path = (*contract.path, "deadline")
        links = [link for group in topology.groups(contract) for link in _above(group)]
        text = contract.written.get("deadline", "")
        yield from _behind(path, text, found, [*links, *run], subject.now)
    for node in topology.holding("deadline"):
        links = [*_above(node.parent), *run]
        text = node.own["deadline"]
        path = (*node.path, "deadline")
        yield from _behind(path, text, read_deadline(text), links, subject.now)
    for node in topology.holding("timeout"):
        span = read_duration(node.own["timeout"])
        links = [*_above(node), *run]
        found = None if span is None else Deadline(within=span)
        yield from _behind((*node.path, "timeout"), node.own["timeout"], found, links, None)


def _run(topology: Topology) -> list[_Link]:
    """The run's deadline; none where what is written cannot be read, which is told as that."""
    if "deadline" not in topology.data:
        return [("the run", (), "6h", DEFAULT_DEADLINE)]
    text = topology.data["deadline"]
    found = read_deadline(text)
    return [] if found is None else [("the run", ("deadline",), text, found)]


def _above(node: Node | None) -> list[_Link]:
    links: list[_Link] = []
    while node is not None:
        text = node.terms().get("deadline")
        found = read_deadline(text)
        if found is not None and isinstance(text, str):
            links.append((f"item '{node.item_id}'", node.place("deadline"), text, found))
        node = node.parent
    return links


def _behind(
    path: Path, text: str, found: Deadline | None, links: list[_Link], now: int | None
) -> Iterator[Finding]:
    for name, place, above, deadline in links:
        if found is not None and place != path and later(found, deadline, now):
            ends = f"{name} ends at {above}" + ("" if place else ", the default")
            yield Finding(
                RULE,
                Spot(path, note=ends if not place else f"later than {name}"),
                f"{path[-1]} {text} is later than the {above} of {name}",
                f"write  {path[-1]}: {above}  or less\nor give {name} more time, {BREAKS}",
                (Spot(place, note=ends),) if place else (),
            )
            return
