"""Finds text that has not the form its key needs.

Names of variables, versions, functions, exit statuses and schemas have a fixed form, so that they
mean one thing wherever they go.

Bad:
```yaml
forge: 1
version: "2.1"
#        ^^^^^
work_items:
  lint:
    run: [ruff, check]
    capabilities: []
```

Good:
```yaml
forge: 1
version: "2.1.0"
work_items:
  lint:
    run: [ruff, check]
    capabilities: []
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.forms import FORMS
from forge_cli.manifest.naming import describe
from forge_cli.manifest.subject import Subject

_LONGEST = 60


def _cut(value: str) -> str:
    return value if len(value) <= _LONGEST else value[: _LONGEST - 3] + "..."


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for each text."""
    for error in subject.errors("wrong-form"):
        form = FORMS[error.pattern]
        value = str(error.value)
        shown = "a blank one" if not value.strip() else f"'{_cut(value)}'"
        place = describe(error.path if error.part == "value" else error.path[:-1])
        yield Finding(
            "wrong-form",
            Spot(error.path, error.part),
            f"expected {form.noun}, found {shown} for {place}",
            f"write {form.grammar}, like  {form.example}",
        )
