"""Finds values nested more than 50 levels deep.

Nobody means it, and deep nesting is a known way to bring readers of YAML down.

Bad:
```yaml
forge: 1
work_items:
  lint:
    script: ruff check
    capabilities: []
    with:
      deep: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
#                                                         ^
        ]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
```

Good:
```yaml
forge: 1
work_items:
  lint:
    script: ruff check
    capabilities: []
    with: {deep: [[1, 2], [3, 4]]}
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding
from forge_cli.manifest.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    """What the reader of the YAML found."""
    return subject.faults("too-deep")
