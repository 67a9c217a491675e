"""Finds items that go to a role which can do much more than they need.

Its turns are granted only what the item asks for, but the handler was chosen for more: a role of
its own would be the safer one.

Bad:
```yaml
forge: 1
roles:
  builder:
    capabilities: [repository-read, repository-write]
    handler: {kind: command, argv: [bin/build]}
work_items:
  look:
# ^^^^
    goal: Look at it
    capabilities: [repository-read]
```

Good:
```yaml
forge: 1
roles:
  reader:
    capabilities: [repository-read]
    handler: {kind: command, argv: [bin/read]}
work_items:
  look:
    goal: Look at it
    capabilities: [repository-read]
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.naming import flow
from forge_cli.manifest.subject import Subject

RULE = "route-overprivileged"
HARMLESS = frozenset({"file-read"})


def check(subject: Subject) -> Iterator[Finding]:
    """Compare what each routed item needs with what its role could do."""
    topology = subject.topology
    for item in topology.routes:
        node = topology.nodes[item]
        role = node.agent
        if role is None:
            continue
        surplus = topology.vocabulary.actions(role.capabilities) - node.actions - HARMLESS
        if surplus:
            actions = ", ".join(sorted(surplus))
            yield Finding(
                RULE,
                Spot(node.path, "key"),
                f"item '{item}' goes to role '{role.role_id}', which could also do {actions}",
                f"add a role with  capabilities: {flow(sorted(node.capabilities))}"
                f"\nor name the role you want",
                (Spot((*role.path, "capabilities"), "key", "the fewest that cover the need"),),
                severity="warning",
            )
