"""Finds joint items with more sub-tasks than agents may share one board.

Every post of every member is read by all others, so the cost grows with the square of the members.
`settings.max_joint_agents` is the limit (8 if absent).

Bad:
```yaml
forge: 1
settings: {max_joint_agents: 1}
roles:
  designer: {capabilities: [], handler: {kind: command, argv: [bin/design]}}
work_items:
  design:
    pattern: joint
    sub_tasks:
#   ^^^^^^^^^
      api: {role: designer}
      data: {role: designer}
```

Good:
```yaml
forge: 1
settings: {max_joint_agents: 2}
roles:
  designer: {capabilities: [], handler: {kind: command, argv: [bin/design]}}
work_items:
  design:
    pattern: joint
    sub_tasks:
      api: {role: designer}
      data: {role: designer}
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.meaning.assembly import section
from forge_cli.manifest.subject import Subject

RULE = "joint-too-large"
MAX_JOINT_AGENTS = 8
"""`settings.max_joint_agents` where the manifest does not say it."""


def check(subject: Subject) -> Iterator[Finding]:
    """Count the sub-tasks of each joint item."""
    settings = section(subject.data, "settings")
    most = settings.get("max_joint_agents", MAX_JOINT_AGENTS)
    said = "max_joint_agents" in settings
    for node in subject.topology.holding("pattern"):
        count = len(node.children)
        if node.own["pattern"] == "joint" and count > most:
            related = Spot(("settings", "max_joint_agents"), note=f"the run allows {most}")
            yield Finding(
                RULE,
                Spot((*node.path, "sub_tasks"), "key"),
                f"joint item '{node.item_id}' has {count} sub-tasks, and {most} may share a board"
                + ("" if said else " (the default)"),
                f"write  settings: {{max_joint_agents: {count}}}  or split the item",
                (related,) if said else (),
            )
