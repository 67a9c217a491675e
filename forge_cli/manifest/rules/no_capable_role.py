"""Finds items that name nobody to do them, and that no role can do.

It goes to the least-privileged role that has the capabilities, the outputs and the scope it needs;
nothing of it is dropped to find one. The message says what each role lacks.

Bad:
```yaml
forge: 1
roles:
  reader:
    capabilities: [repository-read]
    handler: {kind: command, argv: [bin/read]}
work_items:
  change:
# ^^^^^^
    goal: Make the change
    capabilities: [repository-read, repository-write]
```

Good:
```yaml
forge: 1
roles:
  builder:
    capabilities: [repository-read, repository-write]
    handler: {kind: command, argv: [bin/build]}
work_items:
  change:
    goal: Make the change
    capabilities: [repository-read, repository-write]
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.meaning.nodes import Agent, Node
from forge_cli.manifest.meaning.routes import Need, lacks
from forge_cli.manifest.meaning.scopes import TOO_MUCH, covers, spent
from forge_cli.manifest.meaning.topology import Topology
from forge_cli.manifest.naming import BREAKS, SHORT, flow
from forge_cli.manifest.subject import Subject

RULE = "no-capable-role"
MOST_SHOWN = 4
"""Roles whose lacks a message lists; those that lack least come first."""


def check(subject: Subject) -> Iterator[Finding]:
    """Every item that would be routed and was not."""
    for finding in _found(subject):
        if spent():
            message, hint = TOO_MUCH
            yield Finding(RULE, Spot(finding.spot.path, finding.spot.part), message, hint)
            return
        yield finding


def _found(subject: Subject) -> Iterator[Finding]:
    topology = subject.topology
    if topology.open:
        return
    for node in topology.nodes.values():
        if node.way == "routed" and node.agent is None and "capabilities" in node.written:
            yield _finding(topology, node)


def _finding(topology: Topology, node: Node) -> Finding:
    need = topology.need(node)
    words = ", ".join(f"'{word}'" for word in sorted(need.capabilities)) or "no capability"
    lacking = sorted((lacks(role, need), role.role_id) for role in topology.roles.values())
    lacking.sort(key=lambda pair: len(pair[0]))
    lines = [f"role '{role}' lacks {' and '.join(lack)}" for lack, role in lacking[:MOST_SHOWN]]
    if len(lacking) > MOST_SHOWN:
        lines.append(f"and {len(lacking) - MOST_SHOWN} more roles")
    if not lacking:
        lines = ["there are no roles; write  run: [...]  or add a role that holds what it needs"]
    else:
        lines += _added(topology.roles[lacking[0][1]], need)
        lines.append("or write  run: [PROGRAM]  in the item for a program")
    return Finding(
        RULE,
        Spot(node.path, "key", "it names nobody, so a role is looked for"),
        f"no role can do item '{node.item_id}', which needs {words}",
        "\n".join(lines),
    )


def _added(role: Agent, need: Need) -> list[str]:
    """The lines of a role with all that it lacks."""
    held = (
        ("capabilities", role.written.get("capabilities", []), sorted(need.capabilities)),
        ("outputs", role.outputs, sorted(need.outputs)),
        ("scope", role.scope, [each for each in need.scope if not covers(role.scope, (each,))]),
    )
    return [
        f"write in role '{role.role_id}', {BREAKS}:",
        *(
            f"  {key}: {flow([*has, *(each for each in needs if each not in has)], SHORT)}"
            for key, has, needs in held
            if not set(needs) <= set(has)
        ),
    ]
