"""Finds items of which only a role's name decides who does them.

Two roles with different handlers can do it, both with the fewest capabilities and the same load.
Renaming one of them would hand the work to another handler. Name the role, or let one of them hold
less.

Bad:
```yaml
forge: 1
roles:
  fast:
    capabilities: [repository-read]
    handler: {kind: command, argv: [bin/fast]}
  thorough:
    capabilities: [repository-read]
    handler: {kind: command, argv: [bin/thorough]}
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
  fast:
    capabilities: [repository-read]
    handler: {kind: command, argv: [bin/fast]}
  thorough:
    capabilities: [repository-read]
    handler: {kind: command, argv: [bin/thorough]}
work_items:
  look:
    goal: Look at it
    role: thorough
  look-again:
    goal: Look at it
    role: fast
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.subject import Subject

RULE = "ambiguous-route"


def check(subject: Subject) -> Iterator[Finding]:
    """Every route that a role id decided, once for each set of equal roles."""
    topology = subject.topology
    for item, route in topology.routes.items():
        if route.tied:
            others = ", ".join(f"'{role}'" for role in route.tied)
            yield Finding(
                RULE,
                Spot(topology.nodes[item].path, "key"),
                f"item '{item}' goes to '{route.role_id}' only because its name comes before"
                f" {others}",
                f"write  role: {route.role_id}",
                tuple(
                    Spot(topology.roles[role].path, "key", "could do it just as well")
                    for role in (route.role_id, *route.tied[:3])
                ),
            )
