"""Finds a file without a mapping in it.

An empty file is most often a generator that failed, or a file that was not saved.

Bad:
```yaml
--- ~
#   ^
```

Good:
```yaml
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
    return subject.faults("empty-manifest")
