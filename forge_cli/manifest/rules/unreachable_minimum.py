"""Finds a `minimum_successes` that more roles would have to meet than there are.

A run is complete once that many roles succeeded. With fewer roles at work, it fails however well
everything goes. An item that is a `run` or a `script` counts as a role of its own.

Bad:
```yaml
forge: 1
join: {minimum_successes: 2}
#                         ^
work_items:
  build: {run: [make], capabilities: []}
```

Good:
```yaml
forge: 1
join: {minimum_successes: 2}
work_items:
  build: {run: [make], capabilities: []}
  test: {run: [make, test], capabilities: []}
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.meaning.assembly import section
from forge_cli.manifest.subject import Subject

RULE = "unreachable-minimum"


def check(subject: Subject) -> Iterator[Finding]:
    """Count the roles that do something."""
    minimum = section(subject.data, "join").get("minimum_successes")
    doers = [node.agent for node in subject.topology.nodes.values() if not node.children]
    # An item that nobody can do is told as that.
    if minimum is None or None in doers:
        return
    count = len({agent.role_id for agent in doers if agent is not None})
    if minimum > count:
        roles = "1 role works" if count == 1 else f"{count} roles work"
        yield Finding(
            RULE,
            Spot(("join", "minimum_successes")),
            f"{minimum} roles would have to succeed, and {roles} here",
            f"write  minimum_successes: {count}  or less",
        )
