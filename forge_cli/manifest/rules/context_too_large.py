"""Finds context packages that weigh more than they say.

`max_bytes` is a promise to whoever reads the package: what it says itself, as compact JSON in
UTF-8, must fit. The files that it names are weighed before a run, when they are there.

Bad:
```yaml
forge: 1
context_packages:
  brief:
    summary: {source: attempt-1, author: "agent:lead", confidence: "0.8", text: Tried it twice.}
    max_bytes: 64
#   ^^^^^^^^^
work_items:
  build: {run: [make], capabilities: []}
```

Good:
```yaml
forge: 1
context_packages:
  brief:
    summary: {source: attempt-1, author: "agent:lead", confidence: "0.8", text: Tried it twice.}
    max_bytes: 1024
work_items:
  build: {run: [make], capabilities: []}
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.meaning.assembly import section
from forge_cli.manifest.subject import Subject
from forge_cli.multiagent.values import weight

RULE = "context-too-large"


def check(subject: Subject) -> Iterator[Finding]:
    """Weigh each package that states a limit."""
    for name, package in section(subject.data, "context_packages").items():
        if "max_bytes" not in package:
            continue
        limit, weighs = package["max_bytes"], weight(package)
        if weighs > limit:
            yield Finding(
                RULE,
                Spot(("context_packages", name, "max_bytes"), "key"),
                f"context package '{name}' weighs {weighs} bytes, and its max_bytes is {limit}",
                f"shorten it, or write  max_bytes: {weighs}",
            )
