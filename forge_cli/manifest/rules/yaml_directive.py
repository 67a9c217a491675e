"""Finds directives other than `%YAML 1.2`.

A directive changes how the rest of the file is read.

Bad:
```yaml
%YAML 1.1
#^^^^^^^^
---
forge: 1
work_items:
  hello: {run: [echo, hello], capabilities: []}
```

Good:
```yaml
%YAML 1.2
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
    return subject.faults("yaml-directive")
