"""What a manifest may say and this version does not run: refused with a sentence, never ignored."""

from collections.abc import Iterator

from forge_cli.manifest.meaning.actions import Vocabulary
from forge_cli.manifest.meaning.assembly import section
from forge_cli.manifest.meaning.nodes import Node
from forge_cli.manifest.meaning.topology import Topology


def unsupported(topology: Topology) -> list[str]:
    """A sentence for each thing that cannot be run yet, with what to do about it."""
    return [
        *(sentence for node in topology.nodes.values() for sentence in _item(node)),
        *(s for node in topology.nodes.values() for s in _servers(node, topology.vocabulary)),
    ]


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


_KEYS = {
    "review": "take it out, and let  depends_on  order the two",
}
