"""What a manifest may say and this version does not run: refused with a sentence, never ignored."""

from collections.abc import Iterator

from forge_cli.manifest.meaning.nodes import Node
from forge_cli.manifest.meaning.topology import Topology


def unsupported(topology: Topology) -> list[str]:
    """A sentence for each thing that cannot be run yet, with what to do about it."""
    return [sentence for node in topology.nodes.values() for sentence in _item(node)]


def _item(node: Node) -> Iterator[str]:
    name = f"{'item' if node.parent is None else 'sub-task'} '{node.item_id}'"
    own = node.own
    for key, advice in _KEYS.items():
        if key in own:
            yield f"{name} says '{key}', and this version does not act on it; {advice}"


_KEYS = {
    "review": "take it out, and let  depends_on  order the two",
}
