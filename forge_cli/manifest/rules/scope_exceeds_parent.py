"""Finds scopes and `writes` that reach what the link above them does not.

The scope of an item lies within its role's, a role's within the run's, a contract's within both
its delegator's and its delegate's, that of a sub-task within its item's, and `writes` within the
item's scope. Inclusion is decided for all paths, dotted names included, and the message shows one
that is outside.

Bad:
```yaml
forge: 1
roles:
  reviewer:
    capabilities: [repository-read]
    scope: [files:src/**, files:tests/**]
    handler: {kind: command, argv: [bin/review]}
work_items:
  review:
    role: reviewer
    scope: [files:src/**, files:**/test_*.py]
#                         ^^^^^^^^^^^^^^^^^^
```

Good:
```yaml
forge: 1
roles:
  reviewer:
    capabilities: [repository-read]
    scope: [files:src/**, files:tests/**]
    handler: {kind: command, argv: [bin/review]}
work_items:
  review:
    role: reviewer
    scope: [files:src/**, files:tests/**/test_*.py]
```
"""

from collections.abc import Iterator
from typing import NamedTuple

from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.meaning.nodes import Delegated, Node
from forge_cli.manifest.meaning.scopes import (
    EACH,
    TOO_MUCH,
    anywhere,
    fault,
    meet,
    narrowed,
    of_elements,
    spent,
)
from forge_cli.manifest.meaning.topology import Topology
from forge_cli.manifest.naming import BREAKS, flow
from forge_cli.manifest.subject import Subject

RULE = "scope-exceeds-parent"


class _Above(NamedTuple):
    """A link that a scope has to lie within: its name, its scope, and where that is written."""

    name: str
    scope: tuple[str, ...]
    path: Path
    verb: str = "touch"


def check(subject: Subject) -> Iterator[Finding]:
    """Hold every scope and `writes` against the links above it."""
    for finding in _found(subject):
        if spent():
            message, hint = TOO_MUCH
            yield Finding(RULE, Spot(finding.spot.path, finding.spot.part), message, hint)
            return
        yield finding


def _found(subject: Subject) -> Iterator[Finding]:
    topology = subject.topology
    for role in topology.roles.values():
        if "scope" in role.written:
            yield from _beyond((*role.path, "scope"), role.scope, [_run(topology)])
    for contract in topology.contracts.values():
        if "scope" in contract.written:
            path = (*contract.path, "scope")
            yield from _beyond(path, contract.scope, _parties(topology, contract))
    for node in topology.holding("scope"):
        if node.way != "delegation":
            path, scope = (*node.path, "scope"), tuple(node.own["scope"])
            yield from _beyond(path, scope, _links(topology, node), node.written.get("for_each"))
    yield from _inherited(topology)
    for node in topology.holding("writes"):
        above = [_own(topology, node)]
        path, scope = (*node.path, "writes"), tuple(node.own["writes"])
        yield from _beyond(path, scope, above, node.written.get("for_each"))


def _inherited(topology: Topology) -> Iterator[Finding]:
    """Sub-tasks that have a scope from their item, and a role that does not reach all of it."""
    for node in topology.inheriting("scope"):
        role = node.agent
        if node.way != "role" or role is None or "scope" not in role.written:
            continue
        link = _Above(f"role '{role.role_id}'", role.scope, (*role.path, "scope"))
        outside = (_outside(link, text, None) for text in node.scope)
        first = next((found for found in outside if found is not None), None)
        if first is not None and node.parent is not None:
            yield _disparate(node, node.parent, *first)


def _disparate(node: Node, above: Node, link: _Above, witness: str | None) -> Finding:
    name, task = f"item '{above.item_id}'", f"sub-task '{node.item_id}'"
    related = (
        Spot((*above.path, "scope"), "key", f"{name} hands on {flow_scopes([*above.scope])}"),
        Spot(link.path, "key", f"{link.name} may touch {flow_scopes([*link.scope])}"),
    )
    note = (
        f"reaches {witness!r}, for example, which the role does not" if witness is not None else ""
    )
    both = meet(above.scope, link.scope)
    hint = f"give it another role, or {name} a scope that {link.name} reaches, too"
    return Finding(
        RULE,
        Spot(node.path, "key", note),
        f"the scope that {task} has from {name} exceeds {link.name}",
        f"write  scope: {flow_scopes(both)}  in the sub-task" if both else hint,
        related,
    )


def _beyond(
    path: Path, scopes: tuple[str, ...], above: list[_Above], for_each: object = None
) -> Iterator[Finding]:
    for index, text in enumerate(scopes):
        outside = (_outside(link, text, for_each) for link in above)
        first = next((found for found in outside if found is not None), None)
        if first is not None:
            yield _finding((*path, index), scopes, text, *first)


def _outside(link: _Above, text: str, for_each: object) -> tuple[_Above, str | None] | None:
    for inclusion in of_elements(link.scope, text, for_each):
        if not inclusion.holds:
            return link, inclusion.witness
    return None


def _finding(
    path: Path, scopes: tuple[str, ...], text: str, link: _Above, witness: str | None
) -> Finding:
    note = (
        f"reaches {witness!r}, for example, which {_pronoun(link)} does not"
        if witness is not None
        else f"too intricate to show that {_pronoun(link)} holds it"
    )
    count = f"{len(link.scope)} pattern{'' if len(link.scope) == 1 else 's'}"
    held = f"{link.name} may {link.verb} {count}: {', '.join(link.scope)}"
    if not link.scope:
        held = f"{link.name} may {link.verb} nothing"
    related = Spot(link.path, "key", held)
    hint = _hint(str(path[-2]), scopes, text, link)
    subject = "writes" if path[-2] == "writes" else "scope"
    verb = "exceed" if subject == "writes" else "exceeds"
    message = f"{subject} {verb} {link.name}"
    return Finding(RULE, Spot(path, note=note), message, hint, (related,) if link.path else ())


def _hint(key: str, scopes: tuple[str, ...], text: str, link: _Above) -> str:
    """What the link above holds of it, if anything, and how that link is made wider."""
    sound = tuple(scope for scope in scopes if EACH in scope or not fault(scope))
    kept = narrowed(link.scope, sound, text)
    ways = [f"write  {key}: {flow_scopes(kept)}"] if kept else []
    of_an_item = link.name.startswith(("item ", "scope of item "))
    if not (kept and anywhere(text)) and (EACH not in text or of_an_item):
        if not kept and key == "scope" and link.name == "the run" and link.path:
            ways.append("leave it out, so that the run's holds")
        ways.append(_wider(text, link))
    return "\nor ".join(ways or [f"write  {key}: {flow_scopes(list(link.scope))}"])


def _wider(text: str, link: _Above) -> str:
    if not link.path:
        return f"write  scope: {flow_scopes([*link.scope, text])}  at the top, {BREAKS}"
    name = link.name.removeprefix("scope of ")
    return f"add '{text}' to the scope of {name}, {BREAKS}"


def _pronoun(link: _Above) -> str:
    return "the " + link.name.split(" ", 1)[0] if " '" in link.name else link.name


def flow_scopes(scopes: list[str]) -> str:
    """Scopes as a flow list that can be typed."""
    return "[" + ", ".join(s if _plain(s) else flow(s) for s in scopes) + "]"


def _plain(text: str) -> bool:
    return not any(char in text for char in "{}[],#&!|>'\"%@`") and ": " not in text


def _run(topology: Topology) -> _Above:
    written = "scope" in topology.data
    return _Above("the run", topology.scope, ("scope",) if written else ())


def _parties(topology: Topology, contract: Delegated) -> list[_Above]:
    parties = (contract.delegate, contract.delegator)
    links = [
        _Above(f"role '{a.role_id}'", a.scope, (*a.path, "scope"))
        for a in parties
        if a is not None and "scope" in a.written
    ]
    links += [] if len(links) == 2 else [_run(topology)]
    groups = (node for node in topology.groups(contract) if "scope" in node.own)
    return [*links, *map(_item, groups)]


def _item(node: Node) -> _Above:
    return _Above(f"item '{node.item_id}'", node.scope, (*node.path, "scope"))


def _links(topology: Topology, node: Node) -> list[_Above]:
    links: list[_Above] = []
    agent = node.agent
    if agent is not None and node.way == "role" and "scope" in agent.written:
        links.append(_Above(f"role '{agent.role_id}'", agent.scope, (*agent.path, "scope")))
    above = node.parent
    if above is not None and "scope" in above.own:
        links.append(_item(above))
    return links or [_run(topology)]


def _own(topology: Topology, node: Node) -> _Above:
    place = node.place("scope")
    if place[-1] == "scope":
        verb = "touch"
        name = f"scope of item '{node.item_id}'"
        return _Above(name, node.scope, place, verb)
    agent = node.agent
    if agent is not None and node.way in ("role", "routed") and "scope" in agent.written:
        return _Above(f"role '{agent.role_id}'", node.scope, (*agent.path, "scope"))
    return _run(topology)
