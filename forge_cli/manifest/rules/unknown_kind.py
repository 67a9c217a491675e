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

from forge_cli.handlers.installed import installed
from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.naming import describe
from forge_cli.manifest.subject import Subject
from forge_cli.manifest.suggest import suggest


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for each handler."""
    for error in subject.errors("unknown-kind"):
        plug_ins = {each.kind for each in installed(error.known)}
        kinds = (*error.known, *sorted(plug_ins.difference(error.known)))
        suggestion = suggest(str(error.value), kinds)
        known = (
            f"known here: {', '.join(kinds)}\n"
            "a plug-in's kind is known where it is installed beside forge: forge plugins"
        )
        yield Finding(
            "unknown-kind",
            Spot(error.path, note=f"did you mean '{suggestion.word}'?" if suggestion else ""),
            f"unknown kind '{error.value}' of {describe(error.path[:-1])}",
            f"write  kind: {suggestion.word}\n{known}" if suggestion else known,
        )
