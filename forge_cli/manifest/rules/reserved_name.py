"""Finds sub-tasks with the name of an output that the pattern of their item gives itself.

A group outputs the result of each sub-task under its name, `joint` also its `board` and
`conflicts`, `broadcast` its `log` and `resolve` its `resolution`. Under one name there is only one
of them, and the result of the sub-task would be lost.

Bad:
```yaml
forge: 1
roles:
  designer: {capabilities: [], handler: {kind: command, argv: [bin/design]}}
work_items:
  design:
    pattern: joint
    sub_tasks:
      board: {role: designer}
#     ^^^^^
      data: {role: designer}
```

Good:
```yaml
forge: 1
roles:
  designer: {capabilities: [], handler: {kind: command, argv: [bin/design]}}
work_items:
  design:
    pattern: joint
    sub_tasks:
      surface: {role: designer}
      data: {role: designer}
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.meaning.assembly import GROUP_OUTPUTS, section
from forge_cli.manifest.subject import Subject

RULE = "reserved-name"


def check(subject: Subject) -> Iterator[Finding]:
    """Look for the pattern's own outputs among the sub-tasks of each item."""
    for node in subject.topology.holding("pattern"):
        pattern, named = node.own["pattern"], section(node.own, "sub_tasks")
        for name in GROUP_OUTPUTS.get(pattern, ()):
            if name in named:
                yield Finding(
                    RULE,
                    Spot((*node.path, "sub_tasks", name), "key"),
                    f"sub-task '{name}' of '{node.item_id}' has the name of an output that "
                    f"'{pattern}' gives itself",
                    "give the sub-task another name, or its result is lost",
                )
