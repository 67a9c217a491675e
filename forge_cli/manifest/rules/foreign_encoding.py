"""Finds bytes that are not UTF-8.

The same bytes mean other letters in other encodings; a manifest means one thing.

Bad:
```yaml latin-1
forge: 1
work_items:
  lint:
    run: [echo, "café"]
#                   ^
    capabilities: []
```

Good:
```yaml
forge: 1
work_items:
  lint:
    run: [echo, "café"]
    capabilities: []
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding
from forge_cli.manifest.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    """What the reader of the YAML found."""
    return subject.faults("foreign-encoding")
