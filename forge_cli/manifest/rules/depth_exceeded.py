"""Finds chains of delegations that may grow longer than the link above them allows.

`depth` counts the links that may still follow. It falls with every link, and the run's own
`settings.hierarchical_max_depth` (3 if absent) is the most that any role may have.

Bad:
```yaml
forge: 1
roles:
  lead:
    capabilities: []
    delegates: {to: [coder], depth: 4}
#                                   ^
    handler: {kind: command, argv: [bin/lead]}
  coder:
    capabilities: []
    handler: {kind: command, argv: [bin/code]}
work_items:
  fix: {role: lead}
```

Good:
```yaml
forge: 1
roles:
  lead:
    capabilities: []
    delegates: {to: [coder], depth: 3}
    handler: {kind: command, argv: [bin/lead]}
  coder:
    capabilities: []
    handler: {kind: command, argv: [bin/code]}
work_items:
  fix: {role: lead}
```
"""

from collections.abc import Iterator

from forge_cli.manifest.compilation.contracts import MAX_DEPTH
from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.meaning.assembly import section
from forge_cli.manifest.meaning.nodes import Delegated
from forge_cli.manifest.naming import BREAKS
from forge_cli.manifest.subject import Subject

RULE = "depth-exceeded"


def check(subject: Subject) -> Iterator[Finding]:
    """Compare each role's depth with the run's, and each contract's with its delegator's."""
    topology = subject.topology
    settings = section(subject.data, "settings")
    most = settings.get("hierarchical_max_depth", MAX_DEPTH)
    said = "hierarchical_max_depth" in settings
    for role in topology.roles.values():
        if role.depth > most:
            path = (*role.path, "delegates", "depth")
            has = f"the run allows {most}" + ("" if said else ", the default")
            yield Finding(
                RULE,
                Spot(path, note="longer than the run allows" if said else has),
                f"depth {role.depth} of role '{role.role_id}' exceeds the run's {most}",
                f"write  depth: {most}"
                f"\nor  settings: {{hierarchical_max_depth: {role.depth}}}, {BREAKS}",
                (Spot(("settings", "hierarchical_max_depth"), note=has),) if said else (),
            )
    for contract in topology.contracts.values():
        yield from _contract(contract)


def _contract(contract: Delegated) -> Iterator[Finding]:
    depth, delegator = contract.written.get("depth", 0), contract.delegator
    if delegator is None or not delegator.delegates_to or depth < delegator.depth:
        return
    place = (*delegator.path, "delegates")
    said = "depth" in delegator.written.get("delegates", {})
    name = f"role '{delegator.role_id}'"
    has = f"{name} may have {delegator.depth} link{'' if delegator.depth == 1 else 's'} below it"
    hint = f"write  depth: {max(delegator.depth - 1, 0)}"
    if not delegator.depth:
        hint = f"write  depth: 1  in the delegates of {name}, {BREAKS}"
    yield Finding(
        RULE,
        Spot(
            (*contract.path, "depth") if "depth" in contract.written else contract.path,
            "value" if "depth" in contract.written else "key",
        ),
        f"depth {depth} of delegation '{contract.delegation_id}' is not below the"
        f" {delegator.depth} of {name}",
        hint,
        (Spot((*place, "depth") if said else place, "key", has),),
    )
