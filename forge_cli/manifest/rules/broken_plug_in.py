"""Finds handlers of a kind whose plug-in cannot be used.

An installed distribution offers the kind, and what it offers cannot be imported, is no handler, or
is offered by another distribution as well. `forge plugins` lists what is installed.

Bad:
```yaml
forge: 1
roles:
  reviewer:
    capabilities: []
    handler: {kind: acme-shell}
#                   ^^^^^^^^^^
work_items:
  review: {role: reviewer}
```
```ini acme-1.0.dist-info/entry_points.txt
[forge.handlers]
acme-shell = acme_that_is_gone:Shell
```

Good:
```yaml
forge: 1
roles:
  reviewer:
    capabilities: []
    handler: {kind: command, argv: [acme, shell]}
work_items:
  review: {role: reviewer}
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.naming import describe
from forge_cli.manifest.subject import Subject

RULE = "broken-plug-in"


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for each handler of the kind."""
    for error in subject.errors(RULE):
        yield Finding(
            RULE,
            Spot(error.path, note=f"of {error.key}"),
            f"kind '{error.value}' of {describe(error.path[:-1])} cannot be used: {error.reason}",
            "type  forge plugins  to see what is installed",
        )
