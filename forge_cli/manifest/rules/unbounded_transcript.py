"""Finds context packages that hand over a transcript without summary or limit.

A delegate gets a summary with its source, author, confidence and open questions, and the exact
artifacts that belong to it. A transcript may go with it, within a size that the package states.

Bad:
```yaml
forge: 1
context_packages:
  brief:
    transcript: files:logs/chat.md
#               ^^^^^^^^^^^^^^^^^^
work_items:
  build: {run: [make], capabilities: []}
```

Good:
```yaml
forge: 1
context_packages:
  brief:
    summary: {source: attempt-1, author: "agent:lead", confidence: "0.8", text: Tried twice.}
    transcript: files:logs/chat.md
    max_bytes: 65536
work_items:
  build: {run: [make], capabilities: []}
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.meaning.assembly import section
from forge_cli.manifest.subject import Subject

RULE = "unbounded-transcript"


def check(subject: Subject) -> Iterator[Finding]:
    """Every package whose transcript stands alone or has no limit."""
    for name, package in section(subject.data, "context_packages").items():
        if "transcript" not in package:
            continue
        lacking = [key for key in ("summary", "max_bytes") if key not in package]
        if lacking:
            yield Finding(
                RULE,
                Spot(("context_packages", name, "transcript")),
                f"context package '{name}' hands over a transcript without"
                f" {' and '.join(map(repr, lacking))}",
                _HINTS[lacking[0]],
            )


_HINTS = {
    "summary": "write  summary: {source: ..., author: ..., confidence: ..., text: ...}",
    "max_bytes": "write  max_bytes: 65536",
}
