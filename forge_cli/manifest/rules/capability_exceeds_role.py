"""Finds capabilities that an item or contract asks for and the role behind it does not hold.

A grant only ever narrows: what an item's turns may use is at most what its role holds, what a
delegate may use is at most what its own role holds, and what a role hands on it must have itself.
The surplus is never trimmed in silence.

Bad:
```yaml
forge: 1
roles:
  reviewer:
    capabilities: [repository-read]
    handler: {kind: command, argv: [bin/review]}
work_items:
  review:
    role: reviewer
    capabilities: [repository-read, repository-write]
#                                   ^^^^^^^^^^^^^^^^
```

Good:
```yaml
forge: 1
roles:
  reviewer:
    capabilities: [repository-read]
    handler: {kind: command, argv: [bin/review]}
work_items:
  review:
    role: reviewer
    capabilities: [repository-read]
```
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.meaning.nodes import Agent, Node
from forge_cli.manifest.meaning.topology import Topology
from forge_cli.manifest.naming import BREAKS, flow
from forge_cli.manifest.subject import Subject
from forge_cli.manifest.suggest import suggest

RULE = "capability-exceeds-role"


def check(subject: Subject) -> Iterator[Finding]:
    """Compare what is asked for with what the role, or the item above, holds."""
    topology = subject.topology
    for role in topology.roles.values():
        delegates = role.written.get("delegates", {})
        path = (*role.path, "delegates", "capabilities")
        yield from _beyond(topology, path, delegates.get("capabilities", ()), role)
    for contract in topology.contracts.values():
        if contract.delegate is not None:
            path = (*contract.path, "authority")
            asked = contract.written.get("authority", ())
            yield from _beyond(topology, path, asked, contract.delegate)
    for node in topology.holding("capabilities"):
        path = (*node.path, "capabilities")
        if node.way == "role" and node.agent is not None:
            yield from _beyond(topology, path, node.own["capabilities"], node.agent)
        if node.parent is not None and "capabilities" in node.parent.own:
            yield from _beyond_item(topology, path, node, node.parent)


def _beyond(topology: Topology, path: Path, asked: Sequence[str], role: Agent) -> Iterator[Finding]:
    name, held = f"role '{role.role_id}'", role.capabilities
    related = Spot((*role.path, "capabilities"), "key", _holds(name, held))
    for index, word in enumerate(asked):
        if word not in held:
            note = _note(topology, word, held) or "not held by the role"
            hint = _hint(topology, path, asked, word, held, name)
            spot = Spot((*path, index), note=note)
            yield Finding(RULE, spot, f"'{word}' exceeds {name}", hint, (related,))


def _beyond_item(topology: Topology, path: Path, node: Node, above: Node) -> Iterator[Finding]:
    asked: Sequence[str] = node.own["capabilities"]
    held = frozenset(above.own["capabilities"])
    agent = node.agent.capabilities if node.agent is not None and node.way == "role" else held
    name = f"item '{above.item_id}'"
    related = Spot((*above.path, "capabilities"), "key", _holds(name, held))
    for index, word in enumerate(asked):
        # What the role does not hold is told once, as that.
        if word not in held and (node.way != "role" or word in agent):
            note = _note(topology, word, held) or "not granted to the item above"
            hint = _hint(topology, path, asked, word, held, name)
            spot = Spot((*path, index), note=note)
            yield Finding(RULE, spot, f"'{word}' exceeds {name}", hint, (related,))


def _note(topology: Topology, word: str, held: frozenset[str]) -> str:
    meant = _meant(topology, word, held)
    if not meant:
        return ""
    if word in topology.vocabulary.words:
        return f"'{meant}' allows the same, and is another word"
    return f"did you mean '{meant}'?"


def _meant(topology: Topology, word: str, held: frozenset[str]) -> str:
    """A held word that allows the same, or the known word that was misspelt; else nothing."""
    words = topology.vocabulary.words
    if word in words:
        return next((each for each in sorted(held) if words[word] and _same(words, word, each)), "")
    suggestion = suggest(word, tuple(sorted(held))) or suggest(word, tuple(words))
    return suggestion.word if suggestion else ""


def _same(words: Mapping[str, frozenset[str]], one: str, other: str) -> bool:
    return words[one] == words.get(other)


def _hint(
    topology: Topology,
    path: Path,
    asked: Sequence[str],
    word: str,
    held: frozenset[str],
    name: str,
) -> str:
    meant = _meant(topology, word, held)
    kept = dict.fromkeys(meant if each == word else each for each in asked)
    added = word if word in topology.vocabulary.words else meant or word
    write = f"write  {path[-1]}: {flow([each for each in kept if each in held])}"
    it = "it" if added == word else f"'{added}'"
    if added in held:
        return write
    return f"{write}\nor add {it} to {name}, {BREAKS}"


def _holds(name: str, capabilities: Collection[str]) -> str:
    if not capabilities:
        return f"{name} holds nothing"
    words = ", ".join(f"'{word}'" for word in sorted(capabilities))
    return f"{name} holds {len(capabilities)}: {words}"
