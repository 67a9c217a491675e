"""Finds handlers of a kind that forge does not have.

Kinds are built in, presets of command-line agents, or plug-ins that are installed here.

Bad:
```yaml
forge: 1
roles:
  reviewer:
    capabilities: []
    handler: {kind: comand, argv: [python3, review.py]}
#                   ^^^^^^
work_items:
  review:
    role: reviewer
```

Good:
```yaml
forge: 1
roles:
  reviewer:
    capabilities: []
    handler: {kind: command, argv: [python3, review.py]}
work_items:
  review:
    role: reviewer
```
```python review.py
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.naming import describe
from forge_cli.manifest.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for each handler."""
    for error in subject.errors("unknown-kind"):
        suggestion = error.suggestion
        known = f"known: {', '.join(error.known)}, and the kinds of installed plug-ins"
        yield Finding(
            "unknown-kind",
            Spot(error.path, note=f"did you mean '{suggestion.word}'?" if suggestion else ""),
            f"unknown kind '{error.value}' of {describe(error.path[:-1])}",
            f"write  kind: {suggestion.word}\n{known}" if suggestion else known,
        )
