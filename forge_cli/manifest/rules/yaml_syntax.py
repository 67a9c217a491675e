"""Finds text that is not YAML.

A file that readers understand differently, or not at all, decides nothing. The usual causes
are a bad indent, an unclosed quote, and a value that begins with a character of YAML's own.

Bad:
```yaml
forge: 1
work_items:
  lint:
    run: [ruff, check, @src]
#                      ^^^^
    capabilities: []
```

Good:
```yaml
forge: 1
work_items:
  lint:
    run: [ruff, check, "@src"]
    capabilities: []
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding
from forge_cli.manifest.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    """What the reader of the YAML found."""
    return subject.faults("yaml-syntax")
