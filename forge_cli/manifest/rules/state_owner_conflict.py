"""Finds state keys that are written by somebody who does not own them.

Only the owner writes a key. A key that `state` does not list has a single writer: the one item
that returns to it. The outputs of an item stand in the state under its id, so no key may have
the id of an item.

Bad:
```yaml
forge: 1
roles:
  reviewer:
    capabilities: []
    handler: {kind: command, argv: [bin/review]}
  builder:
    capabilities: []
    handler: {kind: command, argv: [bin/build]}
state:
  findings: {owner: reviewer, merge: append}
work_items:
  review: {role: reviewer, return_channel: "state:findings"}
  build: {role: builder, return_channel: "state:findings"}
#                                        ^^^^^^^^^^^^^^^^
```

Good:
```yaml
forge: 1
roles:
  reviewer:
    capabilities: []
    handler: {kind: command, argv: [bin/review]}
  builder:
    capabilities: []
    handler: {kind: command, argv: [bin/build]}
state:
  findings: {owner: reviewer, merge: append}
  changes: {owner: builder}
work_items:
  review: {role: reviewer, return_channel: "state:findings"}
  build: {role: builder, return_channel: "state:changes"}
```
"""

from collections.abc import Iterator, Sequence

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.meaning.assembly import section
from forge_cli.manifest.meaning.nodes import Node
from forge_cli.manifest.subject import Subject

RULE = "state-owner-conflict"


def check(subject: Subject) -> Iterator[Finding]:
    """Compare who writes each key with who owns it."""
    topology = subject.topology
    declared = section(subject.data, "state")
    for key in dict.fromkeys([*declared, *topology.state_writers]):
        if key in topology.nodes:
            yield _taken(topology.state_writers.get(key, []), key, key in declared)
    for key, writers in topology.state_writers.items():
        if key in topology.nodes:
            continue
        if key in declared:
            for node in writers:
                yield from _foreign(subject, node, key, declared[key].get("owner"))
        else:
            for node in writers[1:]:
                yield _second(node, key, writers[0])


def _foreign(subject: Subject, node: Node, key: str, owner: str | None) -> Iterator[Finding]:
    topology = subject.topology
    role = node.agent
    owning = topology.owner(owner)
    # An owner or a role that does not exist is told as that.
    if owning is None or (role is None and not node.children):
        return
    if role is not None and not node.children and role.role_id == owning:
        return
    if role is None or node.children:
        who, mend = "what many do together", f"let a sub-task of '{owning}' return to it"
    elif node.way == "inline":
        who, mend = "a program of the item's own", "return to a key that  state  does not list"
    else:
        who, mend = f"role '{role.role_id}'", f"return to a key that '{role.role_id}' owns"
    yield Finding(
        RULE,
        Spot(node.place("return_channel"), note=f"{who} does not own it"),
        f"item '{node.item_id}' writes state '{key}', which '{owner}' owns",
        mend,
        (Spot(("state", key, "owner"), note=f"'{owner}' owns '{key}'"),),
    )


def _taken(writers: Sequence[Node], key: str, declared: bool) -> Finding:
    if declared:
        spot = Spot(("state", key), "key", note=f"item '{key}' has this name")
    else:
        spot = Spot(writers[0].place("return_channel"), note=f"item '{key}' has this name")
    return Finding(
        RULE,
        spot,
        f"state '{key}' has the name of an item, under which the item's outputs stand",
        f"give the key another name, such as  {key}-result",
    )


def _second(node: Node, key: str, first: Node) -> Finding:
    return Finding(
        RULE,
        Spot(node.place("return_channel"), note="a second writer"),
        f"items '{first.item_id}' and '{node.item_id}' both write state '{key}',"
        " which has no owner",
        f"write  state: {{{key}: {{owner: {_name(first)}, merge: append}}}}  or use two keys",
        (Spot(first.place("return_channel"), note="the first writer"),),
    )


def _name(node: Node) -> str:
    return node.agent.role_id if node.agent is not None and node.way != "inline" else node.item_id
