"""Finds roles, schemas and capabilities that two files define.

Neither would win: what an included file says of a role would hold in one manifest and not in
another, and nobody would see it.

Bad:
```yaml
forge: 1
include: [team/roles.yaml]
roles:
  reviewer:
# ^^^^^^^^
    capabilities: [repository-read]
    handler: {kind: command, argv: [bin/review]}
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
roles:
  security-reviewer:
    capabilities: [repository-read]
    handler: {kind: command, argv: [bin/review]}
work_items:
  review: {role: reviewer}
  review-security: {role: security-reviewer}
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
    return subject.faults("duplicate-definition")
