"""Finds the same key twice in one mapping.

Most readers silently take the last one; the one that a reviewer has seen may be the first.

Bad:
```yaml
forge: 1
work_items:
  lint:
    run: [ruff, check]
    capabilities: []
    run: [ruff, format]
#   ^^^
```

Good:
```yaml
forge: 1
work_items:
  lint:
    run: [ruff, check]
    capabilities: []
  format:
    run: [ruff, format]
    capabilities: []
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding
from forge_cli.manifest.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    """What the reader of the YAML found."""
    misplaced = {e.path[:-1] for e in subject.errors("unknown-key") if e.misplaced}
    for fault in subject.faults("duplicate-key"):
        # What stands below a key that is one level too deep was not meant as a second one here.
        if fault.spot.path[:-1] not in misplaced:
            yield fault
