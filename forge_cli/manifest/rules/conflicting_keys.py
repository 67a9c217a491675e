"""Finds keys that exclude each other.

An item names one of `role`, `delegation`, `run` and `script`: with two of them it is not said who
does it. An item under a delegation does not repeat what the contract says, since one of the two
would have to win silently.

Bad:
```yaml
forge: 1
work_items:
  lint:
    run: [ruff, check]
    script: ruff check
#   ^^^^^^
    capabilities: []
```

Good:
```yaml
forge: 1
work_items:
  lint:
    script: ruff check
    capabilities: []
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.naming import describe
from forge_cli.manifest.shape.combinations import CONTRACT
from forge_cli.manifest.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for each second key, the first shown as related."""
    for error in subject.errors("conflicting-keys"):
        parent, second = error.path[:-1], str(error.path[-1])
        message = f"{describe(parent)} has both '{error.key}' and '{second}'; only one can hold"
        if second in CONTRACT:
            message = f"{describe(parent)} has a 'delegation', which says '{second}'"
        yield Finding(
            "conflicting-keys",
            Spot(error.path, "key", "not beside the other"),
            message,
            f"delete '{second}' or '{error.key}'",
            (Spot((*parent, error.key), "key", "the other"),),
        )
