"""The shelf of collaboration patterns: how an item ends whose work is done by others."""

from collections.abc import Callable, Mapping

from forge_cli.multiagent.board import Board
from forge_cli.multiagent.node import Fate, Node
from forge_cli.multiagent.patterns import broadcast, each, joint, parallel, resolve

PATTERNS: Mapping[str, Callable[[Node], Fate]] = {
    "each": each.ready,
    "parallel": parallel.ready,
    "joint": joint.ready,
    "broadcast": broadcast.ready,
    "resolve": resolve.ready,
}
"""Each pattern's `ready` is asked once, when every element or sub-task has ended."""

BOARDS: Mapping[str, type[Board]] = {"joint": joint.Rounds, "broadcast": broadcast.Bus}
"""Where the sub-tasks of a pattern talk to each other, if they do."""
