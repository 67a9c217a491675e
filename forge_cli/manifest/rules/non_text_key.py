"""Finds keys that are not text.

Readers of YAML disagree on whether `1` and `"1"`, or `true` and `"true"`, are one key.

Bad:
```yaml
forge: 1
work_items:
  lint:
    run: [ruff, check]
    capabilities: []
    labels: {2026: first}
#            ^^^^
```

Good:
```yaml
forge: 1
work_items:
  lint:
    run: [ruff, check]
    capabilities: []
    labels: {"2026": first}
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding
from forge_cli.manifest.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    """What the reader of the YAML found."""
    return subject.faults("non-text-key")
