"""Finds references without braces, which stay the text that they are.

Only `${...}` is filled. `$inputs.since` is what a shell would read, and whoever gets it sees these
very words. It is told where the input, item, state key or variable is there.

Bad:
```yaml
forge: 1
inputs: {since: {default: v1}}
work_items:
  list:
    script: git log "$INPUT_SINCE"..
    with: {since: "$inputs.since"}
#                  ^^^^^^^^^^^^^
    capabilities: [repository-read]
```

Good:
```yaml
forge: 1
inputs: {since: {default: v1}}
work_items:
  list:
    script: git log "$INPUT_SINCE"..
    with: {since: "${inputs.since}"}
    capabilities: [repository-read]
```
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.meaning.assembly import section
from forge_cli.manifest.meaning.topology import Topology
from forge_cli.manifest.subject import Subject

RULE = "unfilled-reference"

_BARE = r"(?<![\w$\\])\$((inputs|items|state|env)\.([A-Za-z_][\w-]*)(?:\.[A-Za-z_][\w-]*)*)"


def check(subject: Subject) -> Iterator[Finding]:
    """Look through the texts that are for people and handlers; programs have a `$` of their own."""
    topology = subject.topology
    known = _known(topology)
    for path, text in _texts(topology):
        for found in re.finditer(_BARE, text) if "$" in text else ():
            if found[3] in known[found[2]]:
                yield Finding(
                    RULE,
                    Spot(path, token=found[0]),
                    f"'{found[0]}' stays as it is: only '${{...}}' is filled",
                    f"write  ${{{found[1]}}}",
                    severity="warning",
                )


def _known(topology: Topology) -> Mapping[str, Collection[str]]:
    return {
        "inputs": section(topology.data, "inputs"),
        "items": topology.nodes,
        "state": {*section(topology.data, "state"), *topology.state_writers},
        "env": topology.data.get("env", ()),
    }


def _texts(topology: Topology) -> Iterator[tuple[Path, str]]:
    for key in ("with", "goal"):
        for node in topology.holding(key):
            yield from _within((*node.path, key), node.own[key])
    yield from _within(("outputs",), topology.data.get("outputs", {}))


def _within(path: Path, value: Any) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict | list):
        for step, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _within((*path, step), each)
