"""Finds merge keys (`<<`).

What a mapping holds has to be written in it: a grant that is merged in is a grant that
nobody reads. YAML 1.2 has dropped them.

Bad:
```yaml
forge: 1
work_items:
  lint:
    <<: {capabilities: []}
#   ^^
    run: [ruff, check]
```

Good:
```yaml
forge: 1
work_items:
  lint:
    capabilities: []
    run: [ruff, check]
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding
from forge_cli.manifest.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    """What the reader of the YAML found."""
    return subject.faults("yaml-merge-key")
