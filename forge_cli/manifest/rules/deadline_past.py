"""Finds deadlines that lie in the past.

Nothing could be started under it. `forge validate` looks only if it is told the time (`--now`),
and warns; `forge run` refuses such a manifest.

Bad:
```yaml
forge: 1
deadline: 2020-01-01T00:00:00Z
#         ^^^^^^^^^^^^^^^^^^^^
work_items:
  build: {run: [make], capabilities: []}
```

Good:
```yaml
forge: 1
deadline: 2h
work_items:
  build: {run: [make], capabilities: []}
```
"""

from collections.abc import Iterator
from datetime import UTC, datetime

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.meaning.bounds import deadlines
from forge_cli.manifest.meaning.limits import read_deadline
from forge_cli.manifest.subject import Subject

RULE = "deadline-past"


def check(subject: Subject) -> Iterator[Finding]:
    """Compare every time that is written with now, if now is known."""
    now = subject.now
    if now is None:
        return
    for path, text in deadlines(subject.topology):
        found = read_deadline(text)
        if found is not None and found.at is not None and found.at <= now:
            today = datetime.fromtimestamp(now // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            yield Finding(
                RULE,
                Spot(path, note="in the past"),
                f"deadline {text} has passed: it is {today}",
                "write a later time, or a duration from the run's start like 2h",
                severity="warning",
            )
