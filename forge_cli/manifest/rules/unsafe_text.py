r"""Finds control, bidirectional and invisible characters.

Such characters make a reviewer see something else than what runs (CVE-2021-42574).

Bad:
```yaml
forge: 1
work_items:
  lint:
    run: [echo, "a\u202eb"]
#                 ^^^^^^
    capabilities: []
```

Good:
```yaml
forge: 1
work_items:
  lint:
    run: [echo, "a b"]
    capabilities: []
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding
from forge_cli.manifest.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    """What the reader of the YAML found."""
    return subject.faults("unsafe-text")
