"""Finds numbers that cannot be held exactly.

Whole numbers end at 2^53 in JSON (RFC 7493), and evidence is JSON.

Bad:
```yaml
forge: 1
budget: {tokens: 123456789012345678901234567890}
#                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
work_items:
  hello: {run: [echo, hello], capabilities: []}
```

Good:
```yaml
forge: 1
budget: {tokens: 9007199254740991}
work_items:
  hello: {run: [echo, hello], capabilities: []}
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding
from forge_cli.manifest.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    """What the reader of the YAML found."""
    return subject.faults("number-out-of-range")
