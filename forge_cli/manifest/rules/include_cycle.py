"""Finds files that include themselves, or each other in a circle.

That two files include a third one is no circle: it is taken in once.

Bad:
```yaml
forge: 1
include: [team/roles.yaml, example.yaml]
#                          ^^^^^^^^^^^^
work_items:
  review: {role: reviewer}
```
```yaml team/roles.yaml
roles:
  reviewer:
    capabilities: []
    handler: {kind: command, argv: [bin/review]}
```

Good:
```yaml
forge: 1
include: [team/roles.yaml]
work_items:
  review: {role: reviewer}
```
```yaml team/roles.yaml
roles:
  reviewer:
    capabilities: []
    handler: {kind: command, argv: [bin/review]}
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding
from forge_cli.manifest.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    """What was found when the files were read."""
    return subject.faults("include-cycle")
