"""Finds roles that nothing in the manifest uses.

No item names it, none could be routed to it, no contract and no other role delegates to it.

Bad:
```yaml
forge: 1
roles:
  builder:
# ^^^^^^^
    capabilities: []
    handler: {kind: command, argv: [bin/build]}
work_items:
  build: {run: [make], capabilities: []}
```

Good:
```yaml
forge: 1
roles:
  builder:
    capabilities: []
    handler: {kind: command, argv: [bin/build]}
work_items:
  build: {role: builder}
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.subject import Subject

RULE = "unused-role"


def check(subject: Subject) -> Iterator[Finding]:
    """Every role that nothing leads to."""
    topology = subject.topology
    if any(node.agent is None for node in topology.nodes.values() if node.way == "routed"):
        return
    used = {node.agent.role_id for node in topology.nodes.values() if node.agent is not None}
    used |= topology.candidates()
    for contract in topology.contracts.values():
        used |= {a.role_id for a in (contract.delegator, contract.delegate) if a is not None}
    for role in topology.roles.values():
        named = (topology.agent(name) for name in role.delegates_to)
        used |= {other.role_id for other in named if other is not None and other is not role}
    for role in topology.roles.values():
        if role.role_id not in used:
            yield Finding(
                RULE,
                Spot(role.path, "key"),
                f"role '{role.role_id}' is used by no item, contract or other role",
                f"write  role: {role.role_id}  in an item, or leave it out",
                severity="warning",
            )
