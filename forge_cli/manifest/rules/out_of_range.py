"""Finds numbers and lists beyond the bounds of their key.

Bad:
```yaml
forge: 1
settings: {max_concurrency: 0}
#                           ^
work_items:
  lint:
    run: [ruff, check]
    capabilities: []
```

Good:
```yaml
forge: 1
settings: {max_concurrency: 1}
work_items:
  lint:
    run: [ruff, check]
    capabilities: []
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.naming import describe, flow
from forge_cli.manifest.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for each number or list."""
    for error in subject.errors("out-of-range"):
        place = describe(error.path)
        if isinstance(error.value, list | dict):
            message = f"{place} has {len(error.value)} entries; {error.limit} is needed"
            hint = "add one, or delete the key"
        else:
            message = f"{flow(error.value)} is out of range for {place}: {error.limit}"
            hint = f"write a number that is {error.limit}"
        yield Finding("out-of-range", Spot(error.path), message, hint)
