"""Finds durations, times and amounts of money that cannot be read, or only by guessing.

`12:30` can be minutes, hours or a time of day; a time without an offset is another moment in every
place; money is counted in micro-dollars. What could be read in two ways is refused, with the forms
that cannot.

Bad:
```yaml
forge: 1
work_items:
  build:
    run: [make]
    capabilities: []
    timeout: 12:30
#            ^^^^^
```

Good:
```yaml
forge: 1
work_items:
  build:
    run: [make]
    capabilities: []
    timeout: 12m30s
```
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.meaning.assembly import section
from forge_cli.manifest.meaning.bounds import budgets, deadlines
from forge_cli.manifest.meaning.topology import Topology
from forge_cli.manifest.meaning.values import DURATION_FORMS, Fault, deadline, duration, money
from forge_cli.manifest.subject import Subject
from forge_cli.multiagent.values import noted

RULE = "bad-value"


def check(subject: Subject) -> Iterator[Finding]:
    """Read every value with a grammar."""
    topology = subject.topology
    for path, text in deadlines(topology):
        yield from _fault(path, deadline(text))
    for path, text, least in _durations(topology):
        span = duration(text)
        if isinstance(span, int) and span < least:
            span = Fault(f"{text!r} leaves no time at all", f"write a duration: {DURATION_FORMS}")
        yield from _fault(path, span)
    for path, value in _amounts(topology):
        yield from _fault(path, money(value))
    yield from _notes(subject)
    for name, declared in section(subject.data, "inputs").items():
        if not _fits(declared):
            text = json.dumps(declared["default"], ensure_ascii=False)
            what = (
                f"the default of input '{name}' is to be of type {declared['type']}, {text} is not"
            )
            yield Finding(RULE, Spot(("inputs", name, "default")), what, _TYPES_HINT)


def _notes(subject: Subject) -> Iterator[Finding]:
    """Values in the form in which forge notes that it keeps a value as an artifact."""
    values: list[tuple[Path, Any]] = [
        (("inputs", name, "default"), declared.get("default"))
        for name, declared in section(subject.data, "inputs").items()
    ]
    for node in subject.topology.nodes.values():
        values += [
            ((*node.path, key), node.own[key]) for key in ("with", "for_each") if key in node.own
        ]
    values.append((("outputs",), subject.data.get("outputs")))
    for path, value in values:
        if any(noted(value)):
            yield Finding(RULE, Spot(path), _NOTE, "name one of the two keys differently")


_NOTE = (
    "a mapping of 'artifact' and 'bytes' alone is how forge notes a value that it keeps as an"
    " artifact"
)


def _fits(declared: Mapping[str, Any]) -> bool:
    """Whether the default has the declared type, where there are both."""
    if "default" not in declared or declared.get("type") not in _TYPES:
        return True
    value, wanted = declared["default"], _TYPES[declared["type"]]
    return isinstance(value, wanted) and (bool in wanted or not isinstance(value, bool))


_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}
_TYPES_HINT = "write a default of that type, or another type"


def _fault(path: Path, found: Any) -> Iterator[Finding]:
    if isinstance(found, Fault):
        yield Finding(RULE, Spot(path), found.message, found.hint)


def _durations(topology: Topology) -> Iterator[tuple[Path, str, int]]:
    """Durations, each with the least it may be in milliseconds."""
    for node in topology.holding("timeout"):
        yield (*node.path, "timeout"), node.own["timeout"], 1
    for path, written in topology.terms("on_failure"):
        policy = written["on_failure"]
        retry = policy.get("retry", {}) if isinstance(policy, dict) else {}
        for key in ("backoff", "max"):
            if key in retry:
                yield (*path, "retry", key), retry[key], 0
    for role in topology.roles.values():
        handler = role.written.get("handler", {})
        if "grace" in handler:
            yield (*role.path, "handler", "grace"), handler["grace"], 0


def _amounts(topology: Topology) -> Iterator[tuple[Path, Any]]:
    for path, budget in budgets(topology):
        if "cost_usd" in budget:
            yield (*path, "cost_usd"), budget["cost_usd"]
    for role in topology.roles.values():
        for key, price in role.written.get("handler", {}).get("prices", {}).items():
            yield (*role.path, "handler", "prices", key), price
