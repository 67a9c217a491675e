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
from typing import Any

from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.naming import describe
from forge_cli.manifest.shape.language import at, child, keys, possible_keys
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
        if below := _meant_below(error.path, subject):
            hint = f"indent what belongs to it: {', '.join(map(repr, below))}"
        elif key in _LISTS:
            hint = f"write  {key}: []  for nothing, or what is meant; null says neither"
        yield Finding(
            "null-value", Spot(error.path), f"{describe(error.path)} has no value (null)", hint
        )


def _meant_below(path: Path, subject: Subject) -> list[str]:
    """The keys beside it that belong to it, and not where they are."""
    holder: Any = subject.source.data
    for step in path[:-1]:
        holder = holder[step]
    node = at(path[:-1], subject.source.data)
    belonging = possible_keys(child(node, path[-1])) - {*keys(node)}
    return [key for key in holder if key in belonging] if isinstance(holder, dict) else []
