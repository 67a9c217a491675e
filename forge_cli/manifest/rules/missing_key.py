"""Finds mappings that lack a key they need.

Authority has to start somewhere: a role and an inline `run` or `script` must say `capabilities`,
a delegation must say everything that it grants and asks. `[]` is nothing.

Bad:
```yaml
forge: 1
work_items:
  lint:
# ^^^^
    run: [ruff, check]
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

from collections.abc import Iterator, Mapping
from typing import Any

from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.naming import alternatives, describe
from forge_cli.manifest.subject import Subject

_HINTS: Mapping[str, str] = {
    "authority": "write  authority: []  for nothing, or the capabilities of the delegate it needs",
    "budget": "write  budget: {model_calls: 0}  or the most that it may spend",
    "completion": "write  completion: schema:ID@VERSION  or the path of a JSON Schema",
    "deadline": "write  deadline: 90m  or a time with an offset",
    "delegate": "write  delegate: agent:ROLE",
    "delegator": "write  delegator: agent:ROLE",
    "forge": "begin with  forge: 1",
    "handler": 'write  handler: {kind: function, call: "FILE.py:NAME"}',
    "on_failure": "write  on_failure: fail  or another policy: forge explain on_failure",
    "pattern": "write  pattern: parallel  or joint, broadcast, resolve",
    "scope": "write  scope: []  for nothing, or what it may touch, such as  scope: [files:src/**]",
    "sub_tasks": "write  sub_tasks:  or delete 'pattern'",
    "work_items": "write  work_items:  and below it what is to be done: forge explain work_items",
}

_MOST_ROLES = 8


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for each key that is missing."""
    for error in subject.errors("missing-key"):
        hint = _HINTS.get(error.key, f"write  {error.key}:  (forge explain {error.key})")
        if error.known:
            hint = f"write  {error.key}: {error.known[0]}  (known: {alternatives(error.known)})"
        elif error.key == "capabilities":
            hint = _doer(subject, error.path) + _grantable(subject)
        yield Finding(
            "missing-key",
            Spot(error.path, "key"),
            f"{describe(error.path)} has no '{error.key}'",
            hint,
        )


def _grantable(subject: Subject) -> str:
    """`capabilities` with nothing, and the words that can stand there."""
    from textwrap import fill

    words = fill(", ".join(subject.topology.vocabulary.words), 72, break_on_hyphens=False)
    return f"write  capabilities: []  for nothing, or put what it may use in the brackets:\n{words}"


def _doer(subject: Subject, path: Path) -> str:
    """A line for an item that names nobody who does it; nothing for another."""
    roles = tuple(subject.data.get("roles", ()))
    if path[:1] != ("work_items",) or not roles:
        return ""
    item: Any = subject.source.data  # as it was written: what is not sound in it counts
    for step in path:
        item = item[step]
    if "run" in item or "script" in item:
        return ""
    known = ", ".join(f"'{role}'" for role in roles[:_MOST_ROLES])
    return f"write  role: ROLE  ({known}), or to have it routed:\n"
