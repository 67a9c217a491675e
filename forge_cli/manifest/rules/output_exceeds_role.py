"""Finds outputs that an item or contract promises and the role behind it does not produce.

The outputs of an item are the keys of its result, exactly these. A key that the role does not
list could never be there, so the item could never be accepted. What an item with sub-tasks promises
holds for those that promise nothing themselves.

Bad:
```yaml
forge: 1
roles:
  reviewer:
    capabilities: []
    outputs: [verdict]
    handler: {kind: command, argv: [bin/review]}
work_items:
  review:
    role: reviewer
    outputs: [verdict, findings]
#                      ^^^^^^^^
```

Good:
```yaml
forge: 1
roles:
  reviewer:
    capabilities: []
    outputs: [verdict, findings]
    handler: {kind: command, argv: [bin/review]}
work_items:
  review:
    role: reviewer
    outputs: [verdict, findings]
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.meaning.nodes import Agent
from forge_cli.manifest.subject import Subject

RULE = "output-exceeds-role"


def check(subject: Subject) -> Iterator[Finding]:
    """Compare promised outputs with the role's."""
    topology = subject.topology
    for contract in topology.contracts.values():
        if contract.delegate is not None and "outputs" in contract.written:
            path = (*contract.path, "outputs")
            yield from _beyond(path, contract.written["outputs"], contract.delegate)
    holding = [*topology.holding("outputs"), *topology.inheriting("outputs")]
    # What several sub-tasks of one role have from the same line is told once.
    promises = {
        (node.place("outputs"), node.agent.role_id): (node.written["outputs"], node.agent)
        for node in holding
        if node.way == "role" and node.agent is not None
    }
    for (path, _), (promised, role) in promises.items():
        yield from _beyond(path, promised, role)


def _beyond(path: Path, promised: list[str], role: Agent) -> Iterator[Finding]:
    name = f"role '{role.role_id}'"
    produced = ", ".join(f"'{key}'" for key in role.outputs) or "nothing"
    said = "outputs" in role.written
    related = Spot(
        (*role.path, "outputs") if said else role.path,
        "key",
        f"{name} produces {produced}" + ("" if said else ", the default"),
    )
    for index, key in enumerate(promised):
        if key not in role.outputs:
            spot = Spot((*path, index), note="not produced by the role")
            hint = f"add it to the outputs of {name}, or leave it out"
            yield Finding(RULE, spot, f"output '{key}' exceeds {name}", hint, (related,))
