"""Finds references to a version of a role or schema that the manifest does not have.

A contract is made with a role as it is: when the role changes, its version rises, and whoever
relied on the old one is told.

Bad:
```yaml
forge: 1
roles:
  reviewer:
    version: 7
    capabilities: []
    handler: {kind: command, argv: [bin/review]}
work_items:
  review: {role: "agent:reviewer@6"}
#                               ^^
```

Good:
```yaml
forge: 1
roles:
  reviewer:
    version: 7
    capabilities: []
    handler: {kind: command, argv: [bin/review]}
work_items:
  review: {role: "agent:reviewer@7"}
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.meaning.assembly import section
from forge_cli.manifest.meaning.lookups import agents, role_named, schemas
from forge_cli.manifest.meaning.values import Fault, reference
from forge_cli.manifest.subject import Subject

RULE = "version-mismatch"


def check(subject: Subject) -> Iterator[Finding]:
    """Compare the versions that references ask for with the ones there are."""
    topology = subject.topology
    for path, text in agents(topology):
        named = role_named(text)
        role = topology.roles.get(named.name) if named is not None else None
        if named is None or role is None or named.version in (None, role.version):
            continue
        said = "version" in role.written
        place = Spot(
            (*role.path, "version") if said else role.path,
            "value" if said else "key",
            f"role '{role.role_id}' has version {role.version}" + ("" if said else ", the default"),
        )
        yield Finding(
            RULE,
            Spot(path, note=f"the role has version {role.version}", token=f"@{named.version}"),
            f"version {named.version} of role '{role.role_id}' is asked for,"
            f" and it has version {role.version}",
            f"write  {text.partition('@')[0]}@{role.version}",
            (place,),
        )
    yield from _schemas(subject)


def _schemas(subject: Subject) -> Iterator[Finding]:
    known = section(subject.data, "schemas")
    for path, text in schemas(subject.topology):
        named = reference(text, "schema")
        if isinstance(named, Fault) or f"{named.name}@{named.version}" in known:
            continue
        others = [name for name in known if name.partition("@")[0] == named.name]
        if others:
            versions = " and ".join(name.partition("@")[2] for name in others)
            yield Finding(
                RULE,
                Spot(path, note=f"there is version {versions}", token=f"@{named.version}"),
                f"version {named.version} of schema '{named.name}' is asked for,"
                f" and there is version {versions}",
                f"write  schema:{others[-1]}",
                tuple(Spot(("schemas", name), "key") for name in others),
            )
