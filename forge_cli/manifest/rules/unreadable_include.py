"""Finds included files that cannot be read.

A file is included by its path from the file that includes it. It lies in the workspace: below the
git root above the manifest, or where there is none, below the manifest's folder. As long as it is
missing, no name that it may bring is said to be unknown.

Bad:
```yaml
forge: 1
include: [team/rolls.yaml]
#         ^^^^^^^^^^^^^^^
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
    return subject.faults("unreadable-include")
