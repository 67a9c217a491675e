"""The shelf of collaboration patterns: how an item ends whose work is done by others."""

from collections.abc import Callable, Mapping

from forge_cli.multiagent.node import Fate, Node
from forge_cli.multiagent.patterns import each, parallel, resolve

PATTERNS: Mapping[str, Callable[[Node], Fate]] = {
    "each": each.ready,
    "parallel": parallel.ready,
    "resolve": resolve.ready,
}
"""Each pattern's `ready` is asked once, when every element or sub-task has ended."""
