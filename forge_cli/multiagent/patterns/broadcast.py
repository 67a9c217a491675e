"""Sub-tasks that talk over named channels: nobody waits, and each hears what it listens to."""

from forge_cli.multiagent.board import Board
from forge_cli.multiagent.node import Fate, Node
from forge_cli.multiagent.patterns import parallel
from forge_cli.multiagent.terms import Json


class Bus(Board):
    """A log in the order in which turns end, with a buffer for each reader."""

    def facts(self, member: str) -> dict[str, Json]:
        """What a turn gets to know: also where it may post, and what it hears."""
        item, channels = self.members[member], self.group.channels
        posts = channels if item.posts is None else item.posts
        listens = channels if item.listens is None else item.listens
        return {**super().facts(member), "posts": list(posts), "listens": list(listens)}


def ready(node: Node) -> Fate:
    """How the item ends, now that every sub-task has: with the log."""
    fate = parallel.ready(node)
    if fate.output is None or node.talk is None:
        return fate
    return Fate(fate.status, fate.reason, output={**fate.output, "log": node.talk.entries()})
