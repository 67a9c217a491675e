"""Finds values that are none of those a key takes.

Bad:
```yaml
forge: 1
work_items:
  lint:
    run: [ruff, check]
    capabilities: []
    on_crash: re-run
#             ^^^^^^
```

Good:
```yaml
forge: 1
work_items:
  lint:
    run: [ruff, check]
    capabilities: []
    on_crash: rerun
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.naming import describe, flow
from forge_cli.manifest.shape.faults import StructureError
from forge_cli.manifest.shape.typed import policy
from forge_cli.manifest.subject import Subject
from forge_cli.manifest.suggest import Suggestion


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for each value."""
    for error in subject.errors("unknown-value"):
        suggestion = error.suggestion
        value = error.value if isinstance(error.value, str) else flow(error.value)
        yield Finding(
            "unknown-value",
            Spot(error.path, note=f"did you mean '{suggestion.word}'?" if suggestion else ""),
            f"unknown value '{value}' for {describe(error.path)}",
            _hint(error, _meant(error, suggestion)),
        )


def _meant(error: StructureError, suggestion: Suggestion | None) -> str:
    """The value to type; a policy may have been meant that is no word but a mapping."""
    meant = policy(error.value) if error.path[-1] == "on_failure" else None
    if isinstance(meant, dict):
        return flow(meant)
    return suggestion.word if suggestion else error.known[0]


def _hint(error: StructureError, meant: str) -> str:
    key = error.path[-1]
    typed = f"write  {key}: {meant}" if isinstance(key, str) else f"write  {meant}"
    return typed if len(error.known) == 1 else f"{typed}\nknown: {', '.join(error.known)}"
