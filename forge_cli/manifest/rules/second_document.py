"""Finds a second YAML document in the file.

Readers take the first, the last or all of several documents; a manifest is one.

Bad:
```yaml
forge: 1
work_items:
  hello: {run: [echo, hello], capabilities: []}
---
#^^
forge: 1
```

Good:
```yaml
---
forge: 1
work_items:
  hello: {run: [echo, hello], capabilities: []}
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding
from forge_cli.manifest.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    """What the reader of the YAML found."""
    return subject.faults("second-document")
