"""Finds sub-tasks of a `resolve` that do not output a proposal.

Who wins is decided by the proposals: a `value` and its `risk`, and the evidence for it. A sub-task
that may not output both has every result rejected.

Bad:
```yaml
forge: 1
roles:
  advisor:
    capabilities: []
    outputs: [value]
    handler: {kind: command, argv: [bin/advise]}
work_items:
  choose:
    pattern: resolve
    sub_tasks:
      archivist: {role: advisor}
#     ^^^^^^^^^
```

Good:
```yaml
forge: 1
roles:
  advisor:
    capabilities: []
    outputs: [value, risk]
    handler: {kind: command, argv: [bin/advise]}
work_items:
  choose:
    pattern: resolve
    sub_tasks:
      archivist: {role: advisor}
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.subject import Subject

RULE = "no-proposal"
PROPOSAL = ("value", "risk")


def check(subject: Subject) -> Iterator[Finding]:
    """Look at what each sub-task of a `resolve` outputs."""
    nodes = subject.topology.nodes
    for node in subject.topology.holding("pattern"):
        if node.own["pattern"] != "resolve":
            continue
        for child in (nodes[name] for name in node.children):
            lacking = [key for key in PROPOSAL if key not in child.outputs]
            if lacking and (child.agent is not None or "outputs" in child.written):
                missing = " and no ".join(map(repr, lacking))
                yield Finding(
                    RULE,
                    Spot(child.path, "key"),
                    f"sub-task '{child.item_id}' outputs no {missing}, so it proposes nothing",
                    "write  outputs: [value, risk]  in it or its role",
                )
