"""What a manifest may say and this version does not run: refused with a sentence, never ignored."""

from collections.abc import Iterator

from forge_cli.manifest.meaning.actions import Vocabulary
from forge_cli.manifest.meaning.assembly import section
from forge_cli.manifest.meaning.nodes import Agent, Node, Written
from forge_cli.manifest.meaning.topology import Topology


def unsupported(topology: Topology) -> list[str]:
    """A sentence for each thing that cannot be run yet, with what to do about it."""
    return [
        *(sentence for role in _used(topology) for sentence in _of(role)),
        *(sentence for node in topology.nodes.values() for sentence in _item(node)),
        *(s for node in topology.nodes.values() for s in _servers(node, topology.vocabulary)),
    ]


def _used(topology: Topology) -> list[Agent]:
    """The roles that some item is done by, or a child of it; what is never called need not be."""
    agents = (n.agent for n in topology.nodes.values() if n.way != "inline" and not n.children)
    found = {agent.role_id: agent for agent in agents if agent is not None}
    waiting = list(found.values())
    for role in waiting:
        for child in filter(None, map(topology.agent, role.delegates_to)):
            if child.role_id not in found:
                found[child.role_id] = child
                waiting.append(child)
    return waiting


def _of(role: Agent) -> Iterator[str]:
    yield from _sandbox(f"role '{role.role_id}'", section(role.written, "handler"))


def _sandbox(name: str, written: Written) -> Iterator[str]:
    sandbox = written.get("sandbox", "off")
    if sandbox != "off":
        yield (
            f"{name} wants the sandbox '{sandbox}', and this version has none;"
            " write  sandbox: off  to accept that, or leave it out"
        )


def _servers(node: Node, vocabulary: Vocabulary) -> Iterator[str]:
    """Why an agent cannot have tools of its servers: they may do more than read."""
    handler = section(node.agent.written, "handler") if node.agent and not node.children else {}
    for server, written in section(handler, "servers").items():
        for tool in written["tools"]:
            word, name = tool["capability"], f"tool:{server}/{tool['tool']}"
            actions = vocabulary.actions(frozenset({word}))
            if (
                word in node.capabilities
                and not actions <= {"file-read"}
                and name in handler.get("tools", (name,))
            ):
                yield (
                    f"item '{node.item_id}' grants its agent '{name}', which may do more than read"
                    f" as '{word}' does, and agents of this version call no such tool of a server;"
                    " grant less, or call it from a role whose handler is  kind: mcp"
                )


def _item(node: Node) -> Iterator[str]:
    name = f"{'item' if node.parent is None else 'sub-task'} '{node.item_id}'"
    own = node.own
    for key, advice in _KEYS.items():
        if key in own:
            yield f"{name} says '{key}', and this version does not act on it; {advice}"
    yield from _sandbox(name, own)


_KEYS = {
    "review": "take it out, and let  depends_on  order the two",
}
