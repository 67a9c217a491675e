"""Finds anchors and aliases.

With aliases a small file can stand for a huge one, and a change in one place changes others
that a reviewer does not see.

Bad:
```yaml
forge: 1
work_items:
  lint:
    run: &tool [ruff, check]
#        ^^^^^
    capabilities: []
```

Good:
```yaml
forge: 1
work_items:
  lint:
    run: [ruff, check]
    capabilities: []
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding
from forge_cli.manifest.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    """What the reader of the YAML found."""
    return subject.faults("yaml-anchor")
