"""Finds contracts that hand on what their delegator may not, or to whom it may not.

What a role holds and what it may hand on are two things: `delegates` names the roles that it may
ask and the capabilities that it may give them. A role without `delegates` delegates nothing.

Bad:
```yaml
forge: 1
roles:
  lead:
    capabilities: [repository-read, repository-write]
    delegates: {to: [reviewer], capabilities: [repository-read]}
    handler: {kind: command, argv: [bin/lead]}
  reviewer:
    capabilities: [repository-read, repository-write]
    handler: {kind: command, argv: [bin/review]}
delegations:
  look:
    delegator: agent:lead
    delegate: agent:reviewer
    purpose: Look at the change
    scope: [files:src/**]
    authority: [repository-read, repository-write]
#                                ^^^^^^^^^^^^^^^^
    completion: schema:verdict@1
    deadline: 1h
    budget: {model_calls: 1}
    on_failure: fail
schemas: {verdict@1: {type: object}}
work_items:
  review: {delegation: look}
```

Good:
```yaml
forge: 1
roles:
  lead:
    capabilities: [repository-read, repository-write]
    delegates: {to: [reviewer], capabilities: [repository-read]}
    handler: {kind: command, argv: [bin/lead]}
  reviewer:
    capabilities: [repository-read, repository-write]
    handler: {kind: command, argv: [bin/review]}
delegations:
  look:
    delegator: agent:lead
    delegate: agent:reviewer
    purpose: Look at the change
    scope: [files:src/**]
    authority: [repository-read]
    completion: schema:verdict@1
    deadline: 1h
    budget: {model_calls: 1}
    on_failure: fail
schemas: {verdict@1: {type: object}}
work_items:
  review: {delegation: look}
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.meaning.nodes import Agent, Delegated
from forge_cli.manifest.naming import BREAKS, flow
from forge_cli.manifest.subject import Subject

RULE = "authority-exceeds-delegates"


def check(subject: Subject) -> Iterator[Finding]:
    """Compare each contract with what its delegator may hand on."""
    for contract in subject.topology.contracts.values():
        delegator, delegate = contract.delegator, contract.delegate
        if delegator is None or delegate is None or delegator is delegate:
            continue
        if delegate.role_id not in delegator.delegates_to:
            yield _not_to(contract, delegator, delegate)
        else:
            yield from _surplus(contract, delegator, delegate)


def _not_to(contract: Delegated, delegator: Agent, delegate: Agent) -> Finding:
    name = f"role '{delegator.role_id}'"
    to = [*delegator.delegates_to, delegate.role_id]
    if delegator.delegates_to:
        words = ", ".join(f"'{role}'" for role in delegator.delegates_to)
        related = Spot(
            (*delegator.path, "delegates", "to"), "key", f"{name} may delegate to {words}"
        )
    else:
        related = Spot(delegator.path, "key", f"{name} delegates nothing")
    return Finding(
        RULE,
        Spot((*contract.path, "delegate"), note=f"not among those {name} may ask"),
        f"{name} may not delegate to '{delegate.role_id}'",
        f"write in {name}  delegates: {{to: {flow(to)}}}, {BREAKS}",
        (related,),
    )


def _surplus(contract: Delegated, delegator: Agent, delegate: Agent) -> Iterator[Finding]:
    name = f"role '{delegator.role_id}'"
    authority = contract.written.get("authority", [])
    kept = flow([word for word in authority if word in delegator.delegated])
    said = "capabilities" in delegator.written.get("delegates", {})
    where = (
        (*delegator.path, "delegates", "capabilities")
        if said
        else (
            *delegator.path,
            "capabilities",
        )
    )
    words = ", ".join(f"'{word}'" for word in sorted(delegator.delegated)) or "nothing"
    related = Spot(where, "key", f"{name} may hand on {words}")
    for index, word in enumerate(authority):
        # What the delegate's own role does not hold is told as that.
        if word in delegator.delegated or word not in delegate.capabilities:
            continue
        yield Finding(
            RULE,
            Spot((*contract.path, "authority", index), note="not its delegator's to give"),
            f"'{word}' exceeds what {name} delegates",
            f"write  authority: {kept}",
            (related,),
        )
