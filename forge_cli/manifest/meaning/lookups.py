"""Every name in a manifest that has to lead to something, and what there is for it to lead to."""

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from forge_cli.manifest.findings import Path
from forge_cli.manifest.meaning.actions import ACTIONS, is_action
from forge_cli.manifest.meaning.assembly import section
from forge_cli.manifest.meaning.nodes import Agent, Node, Written
from forge_cli.manifest.meaning.references import Mention
from forge_cli.manifest.meaning.topology import Topology
from forge_cli.manifest.meaning.values import Fault, Reference, reference
from forge_cli.manifest.naming import describe


class Lookup(NamedTuple):
    """A name, where it is written (`token` of the text there), and the names that exist.

    `hint` says what to type, and `is_way_out` that this is for a name which is not misspelt.
    """

    path: Path
    name: str
    noun: str
    known: Collection[str]
    token: str | None = None
    where: str = ""
    hint: str = ""
    is_way_out: bool = False


def lookups(topology: Topology) -> Iterator[Lookup]:
    """Every name; those that an included file could bring only if nothing is included."""
    if not topology.open:
        yield from _roles(topology)
        yield from _words(topology)
    yield from _schemas(topology)
    yield from _packages(topology)
    yield from _items(topology)
    yield from _mentions(topology)
    yield from _secrets(topology)
    yield from _evidence(topology)
    yield from _channels(topology)


def agents(topology: Topology) -> Iterator[tuple[Path, str]]:
    """Every place where a role is named, with the text there."""
    for role in topology.roles.values():
        for index, text in enumerate(role.delegates_to):
            yield (*role.path, "delegates", "to", index), text
    for contract in topology.contracts.values():
        for side in ("delegator", "delegate"):
            if side in contract.written:
                yield (*contract.path, side), contract.written[side]
    for node in topology.holding("role"):
        yield (*node.path, "role"), node.own["role"]
    for key, written in section(topology.data, "state").items():
        if "owner" in written:
            yield ("state", key, "owner"), written["owner"]


def schemas(topology: Topology) -> Iterator[tuple[Path, str]]:
    """Every place where a schema is named by id, with the text there."""
    for path, written in topology.terms("completion"):
        if written["completion"].startswith("schema:"):
            yield path, written["completion"]


def role_named(text: str) -> Reference | None:
    """The role that a text names, with or without `agent:`; None if it is refused."""
    named = reference(text if ":" in text else f"agent:{text}", "agent")
    return None if isinstance(named, Fault) else named


def _roles(topology: Topology) -> Iterator[Lookup]:
    inline = [node.item_id for node in topology.nodes.values() if node.way == "inline"]
    for path, text in agents(topology):
        named = role_named(text)
        if named is not None:
            known = [*topology.roles, *inline] if path[-1] == "owner" else topology.roles
            yield Lookup(path, named.name, "role", known, named.name)
    for node in topology.holding("delegation"):
        yield Lookup(
            (*node.path, "delegation"), node.own["delegation"], "delegation", topology.contracts
        )


def _words(topology: Topology) -> Iterator[Lookup]:
    known = topology.vocabulary.words
    hint = "add it to  capabilities:  with what it lets a handler do; [] only routes"
    for path, words in _grants(topology):
        for index, word in enumerate(words):
            if word not in known:
                place = (*path, index)
                yield Lookup(place, word, "capability", known, hint=hint, is_way_out=True)
    for word, actions in section(topology.data, "capabilities").items():
        for index, action in enumerate(actions):
            if not is_action(action):
                path = ("capabilities", word, index)
                hint = f"known: {', '.join(sorted(ACTIONS))} and tool:<server>/<tool>"
                yield Lookup(path, action, "action", ACTIONS, hint=hint)


def _grants(topology: Topology) -> Iterator[tuple[Path, list[str]]]:
    for role in topology.roles.values():
        yield (*role.path, "capabilities"), role.written.get("capabilities", [])
        # What a role may hand on it has to hold, and an unknown word there is told as that.
    for node in topology.holding("capabilities"):
        if node.way != "role":
            yield (*node.path, "capabilities"), node.own["capabilities"]


def _schemas(topology: Topology) -> Iterator[Lookup]:
    if topology.open:
        return
    known = section(topology.data, "schemas")
    ids = {name.partition("@")[0] for name in known}
    for path, text in schemas(topology):
        named = reference(text, "schema")
        # A known id with another version is told as that.
        if not isinstance(named, Fault) and named.name not in ids:
            name = f"{named.name}@{named.version}"
            yield Lookup(path, name, "schema", known, name)


def _packages(topology: Topology) -> Iterator[Lookup]:
    known = section(topology.data, "context_packages")
    for path, written in topology.terms("context_package"):
        named = reference(written["context_package"], "context")
        if not isinstance(named, Fault):
            yield Lookup(path, named.name, "context package", known, named.name)


def _items(topology: Topology) -> Iterator[Lookup]:
    for key in ("depends_on", "after"):
        for node in topology.holding(key):
            yield from _named(topology, node, (*node.path, key), node.own[key])
    for node in topology.holding("review"):
        path = (*node.path, "review", "of")
        yield from _named(topology, node, path, node.own["review"].get("of", ()))


def _named(topology: Topology, node: Node, path: Path, names: Collection[str]) -> Iterator[Lookup]:
    for index, name in enumerate(names):
        if topology.find(name, node) is None:
            yield Lookup((*path, index), name, "item", topology.nodes)


def _mentions(topology: Topology) -> Iterator[Lookup]:
    known: dict[str, tuple[str, Collection[str]]] = {
        "inputs": ("input", section(topology.data, "inputs")),
        "env": ("variable", topology.data.get("env", [])),
        "state": ("state key", {*section(topology.data, "state"), *topology.state_writers}),
    }
    for mention in topology.mentions.all():
        if mention.root in known and mention.name:
            noun, names = known[mention.root]
            if mention.name not in names:
                yield _missing(mention, noun, names)
        elif mention.root == "items" and mention.name:
            yield from _output(topology, mention)


def _missing(mention: Mention, noun: str, names: Collection[str]) -> Lookup:
    hints = {
        "variable": f"add '{mention.name}' to  env:  at the top",
        "state key": f"write  return_channel: state:{mention.name}  in the item that sets it",
    }
    hint = hints.get(noun, "")
    return Lookup(mention.path, mention.name, noun, sorted(names), mention.name, hint=hint)


def _output(topology: Topology, mention: Mention) -> Iterator[Lookup]:
    node = topology.nodes.get(mention.name)
    if node is None:
        owner = topology.nodes.get(mention.owner)
        sibling = topology.find(mention.name, owner) if owner is not None else None
        hint = f"write  items.{sibling.item_id}" if sibling is not None else ""
        known = list(topology.nodes)
        yield Lookup(mention.path, mention.name, "item", known, mention.name, hint=hint)
    elif mention.key and mention.key not in node.outputs and not _nobody(node):
        where, hint = f" of item '{node.item_id}'", unsaid(node.agent, node.terms(), mention.key)
        yield Lookup(mention.path, mention.key, "output", node.outputs, mention.key, where, hint)


def unsaid(agent: Agent | None, written: Written, key: str) -> str:
    """What to type for an output where nobody has said which there are, so that it is `result`."""
    if agent is None or "sub_tasks" in written or "outputs" in {**agent.written, **written}:
        return ""
    return f"write  outputs: [{key}]  in {describe(agent.path)}, which has 'result' by default"


def _nobody(node: Node) -> bool:
    return node.agent is None and not node.children


def _secrets(topology: Topology) -> Iterator[Lookup]:
    known = topology.data.get("secrets", [])
    places: list[tuple[Path, Any]] = [
        ((*node.path, "secrets"), node.own["secrets"]) for node in topology.holding("secrets")
    ]
    keys: list[tuple[Path, Any]] = []
    for role in topology.roles.values():
        handler = role.written.get("handler", {})
        parts: list[tuple[Path, Any]] = [((), handler), (("server",), handler.get("server", {}))]
        parts += [(("servers", name), each) for name, each in handler.get("servers", {}).items()]
        for below, written in parts:
            path = (*role.path, "handler", *below)
            places.append(((*path, "secrets"), written.get("secrets", ())))
        if "api_key" in handler:
            keys.append(((*role.path, "handler", "api_key"), handler["api_key"]))
    named = [((*path, index), name) for path, names in places for index, name in enumerate(names)]
    for path, name in (*named, *keys):
        if name not in known:
            hint = f"add '{name}' to  secrets:  at the top"
            yield Lookup(path, name, "secret", known, hint=hint)


def _evidence(topology: Topology) -> Iterator[Lookup]:
    contracts = topology.contracts.values()
    held = [(c.path, c.written, c.outputs) for c in contracts if c.delegate is not None]
    nodes = topology.holding("evidence")
    held += [(n.path, n.own, n.outputs) for n in nodes if not _nobody(n)]
    for path, written, outputs in held:
        for index, name in enumerate(written.get("evidence", ())):
            if not name.startswith("files:"):
                where = f" of {describe(path)}"
                yield Lookup((*path, "evidence", index), name, "output", outputs, where=where)


def _channels(topology: Topology) -> Iterator[Lookup]:
    for key in ("posts", "listens"):
        for node in topology.holding(key):
            around = node.parent.own if node.parent is not None else {}
            if around.get("pattern") != "broadcast":
                continue  # nothing, or tags, which posts bring with them
            known = around.get("channels", [])
            for index, name in enumerate(node.own[key]):
                yield Lookup((*node.path, key, index), name, "channel", known)
