"""Finds keys without a value.

Absent means "not narrowed here", `[]` means "nothing"; null could mean either, and has been read
as "everything" by other tools. So it is an error. (Inside JSON Schemas null keeps its meaning.)

Bad:
```yaml
forge: 1
work_items:
  lint:
    run: [ruff, check]
    capabilities: null
#                 ^^^^
```

Good:
```yaml
forge: 1
work_items:
  lint:
    run: [ruff, check]
    capabilities: []
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.naming import describe
from forge_cli.manifest.subject import Subject

_LISTS = frozenset(
    {
        "after",
        "authority",
        "capabilities",
        "criteria",
        "depends_on",
        "evidence",
        "outputs",
        "scope",
        "secrets",
        "writes",
    }
)


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for each null."""
    for error in subject.errors("null-value"):
        key = error.path[-1]
        hint = "give it a value, or delete it"
        if key in _LISTS:
            hint = f"write  {key}: []  for nothing, or what is meant; null says neither"
        yield Finding(
            "null-value", Spot(error.path), f"{describe(error.path)} has no value (null)", hint
        )
