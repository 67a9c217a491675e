"""Finds references that are not written as their place needs them.

A reference says what kind of thing it names: `agent:role@version`, `context:id`,
`schema:id@version`, `state:key`. In a place that takes one kind, another would name nothing.

Bad:
```yaml
forge: 1
work_items:
  count:
    run: [wc, -l, notes.txt]
    capabilities: [read]
    return_channel: lines
#                   ^^^^^
```

Good:
```yaml
forge: 1
work_items:
  count:
    run: [wc, -l, notes.txt]
    capabilities: [read]
    return_channel: state:lines
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.meaning.lookups import agents, schemas
from forge_cli.manifest.meaning.topology import Topology
from forge_cli.manifest.meaning.values import Fault, reference
from forge_cli.manifest.subject import Subject
from forge_cli.multiagent.templates import TemplateError, parse_template

RULE = "bad-reference"


def check(subject: Subject) -> Iterator[Finding]:
    """Read every reference as the kind that its place takes."""
    for path, text, kind in _references(subject.topology):
        found = reference(text, kind)
        if isinstance(found, Fault):
            yield Finding(RULE, Spot(path), found.message, found.hint)
    for node in subject.topology.holding("for_each"):
        if isinstance(node.own["for_each"], str):
            yield from _elements((*node.path, "for_each"), node.own["for_each"])
    for contract in subject.topology.contracts.values():
        said = contract.written.get("id", contract.delegation_id)
        if said != contract.delegation_id:
            yield Finding(
                RULE,
                Spot((*contract.path, "id"), note="not its key"),
                f"delegation '{contract.delegation_id}' calls itself '{said}'",
                f"write  id: {contract.delegation_id}  or leave it out",
                (Spot(contract.path, "key", "its key"),),
            )


def _elements(path: Path, text: str) -> Iterator[Finding]:
    try:
        parts = parse_template(text)
    except TemplateError:
        return  # told where the reference is read
    only = parts[0]
    if len(parts) > 1 or isinstance(only, str) or only.root not in ("inputs", "items"):
        yield Finding(
            RULE,
            Spot(path),
            f"{text!r} is neither a list nor one reference to an input or output",
            "write  for_each: [a, b]  or  for_each: ${inputs.NAME}",
        )


def _references(topology: Topology) -> Iterator[tuple[Path, str, str]]:
    for path, text in agents(topology):
        # Within a manifest a role is also named by its id alone.
        yield path, text if ":" in text else f"agent:{text}", "agent"
    for path, text in schemas(topology):
        yield path, text, "schema"
    for path, written in topology.terms("context_package"):
        yield path, written["context_package"], "context"
    for path, written in topology.terms("return_channel"):
        yield path, written["return_channel"], "state"
