"""Finds roles that delegate to themselves.

A contract between a role and itself narrows nothing and lets a role accept its own result.

Bad:
```yaml
forge: 1
roles:
  lead:
    capabilities: []
    delegates: {to: [lead]}
#                    ^^^^
    handler: {kind: command, argv: [bin/lead]}
work_items:
  fix: {role: lead}
```

Good:
```yaml
forge: 1
roles:
  lead:
    capabilities: []
    handler: {kind: command, argv: [bin/lead]}
work_items:
  fix: {role: lead}
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.subject import Subject

RULE = "self-delegation"


def check(subject: Subject) -> Iterator[Finding]:
    """Look at the roles that `delegates` names, and at both sides of each contract."""
    topology = subject.topology
    for role in topology.roles.values():
        for index, name in enumerate(role.delegates_to):
            if topology.agent(name) is role:
                yield Finding(
                    RULE,
                    Spot((*role.path, "delegates", "to", index)),
                    f"role '{role.role_id}' delegates to itself",
                    "name another role, or leave it out",
                )
    for contract in topology.contracts.values():
        if contract.delegator is not None and contract.delegator is contract.delegate:
            name = contract.delegator.role_id
            yield Finding(
                RULE,
                Spot((*contract.path, "delegate"), note="the same role"),
                f"delegation '{contract.delegation_id}' has role '{name}' on both sides",
                "name another delegate, or let an item name the role",
                (Spot((*contract.path, "delegator"), note=f"'{name}' delegates"),),
            )
