"""Finds capabilities that an item or contract asks for and the role behind it does not hold.

A grant only ever narrows: what an item's turns may use is at most what its role holds, what a
delegate may use is at most what its own role holds, and what a role hands on it must have itself.
The surplus is never trimmed in silence.

Bad:
```yaml
forge: 1
roles:
  reviewer:
    capabilities: [repository-read]
    handler: {kind: command, argv: [bin/review]}
work_items:
  review:
    role: reviewer
    capabilities: [repository-read, repository-write]
#                                   ^^^^^^^^^^^^^^^^
```

Good:
```yaml
forge: 1
roles:
  reviewer:
    capabilities: [repository-read]
    handler: {kind: command, argv: [bin/review]}
work_items:
  review:
    role: reviewer
    capabilities: [repository-read]
```
"""

from collections.abc import Collection, Iterator, Sequence

from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.meaning.nodes import Agent, Node
from forge_cli.manifest.naming import flow
from forge_cli.manifest.subject import Subject

RULE = "capability-exceeds-role"


def check(subject: Subject) -> Iterator[Finding]:
    """Compare what is asked for with what the role, or the item above, holds."""
    topology = subject.topology
    for role in topology.roles.values():
        delegates = role.written.get("delegates", {})
        path = (*role.path, "delegates", "capabilities")
        yield from _beyond(path, delegates.get("capabilities", ()), role)
    for contract in topology.contracts.values():
        if contract.delegate is not None:
            path = (*contract.path, "authority")
            yield from _beyond(path, contract.written.get("authority", ()), contract.delegate)
    for node in topology.holding("capabilities"):
        path = (*node.path, "capabilities")
        if node.way == "role" and node.agent is not None:
            yield from _beyond(path, node.own["capabilities"], node.agent)
        if node.parent is not None and "capabilities" in node.parent.own:
            yield from _beyond_item(path, node, node.parent)


def _beyond(path: Path, asked: Sequence[str], role: Agent) -> Iterator[Finding]:
    name = f"role '{role.role_id}'"
    related = Spot((*role.path, "capabilities"), "key", _holds(name, role.capabilities))
    for index, word in enumerate(asked):
        if word not in role.capabilities:
            spot = Spot((*path, index), note="not held by the role")
            hint = f"{_write(path, asked, role.capabilities)}\nor add it to {name}"
            yield Finding(RULE, spot, f"'{word}' exceeds {name}", hint, (related,))


def _beyond_item(path: Path, node: Node, above: Node) -> Iterator[Finding]:
    asked: Sequence[str] = node.own["capabilities"]
    held = frozenset(above.own["capabilities"])
    agent = node.agent.capabilities if node.agent is not None and node.way == "role" else held
    name = f"item '{above.item_id}'"
    related = Spot((*above.path, "capabilities"), "key", _holds(name, held))
    for index, word in enumerate(asked):
        # What the role does not hold is told once, as that.
        if word not in held and (node.way != "role" or word in agent):
            spot = Spot((*path, index), note="not granted to the item above")
            hint = f"{_write(path, asked, held)}\nor add it to {name}"
            yield Finding(RULE, spot, f"'{word}' exceeds {name}", hint, (related,))


def _holds(name: str, capabilities: Collection[str]) -> str:
    if not capabilities:
        return f"{name} holds nothing"
    words = ", ".join(f"'{word}'" for word in sorted(capabilities))
    return f"{name} holds {len(capabilities)}: {words}"


def _write(path: Path, asked: Sequence[str], held: Collection[str]) -> str:
    return f"write  {path[-1]}: {flow([word for word in asked if word in held])}"
