"""Sub-tasks that share one board, in rounds: a post of one round is read in the next."""

import json
from collections.abc import Mapping, Sequence

from forge_cli.multiagent.board import RUN, Board, Post
from forge_cli.multiagent.node import Fate, Node
from forge_cli.multiagent.patterns import parallel
from forge_cli.multiagent.plan import Item, Json


class Rounds(Board):
    """A board that is written between rounds, in the order of the members.

    A round is over when nobody has a turn of it left: who wants another waits until then, without
    a slot; who has ended or awaits a decision is not waited for.
    """

    def __init__(self, group: Item, members: Sequence[Item], buffer: int = 0) -> None:
        super().__init__(group, members, buffer)
        self.round = 1
        self._due: set[str] = set()
        self._rested: set[str] = set()
        self._drafts: list[Post] = []
        self._places = {name: place for place, name in enumerate(self.members)}

    @property
    def marks(self) -> dict[str, Json]:
        """The round of a turn."""
        return {"round": self.round}

    def facts(self, member: str) -> dict[str, Json]:
        """What a turn gets to know: also how many rounds there are."""
        return {**super().facts(member), "rounds": self.group.rounds}

    def take(self, post: Post) -> None:
        """Keep the post until the round is over."""
        self._drafts.append(post)

    def join(self, member: str) -> None:
        """The member has a turn in this round."""
        self._due.add(member)

    def rest(self, member: str) -> Sequence[str]:
        """The member has had its turn of this round; returns who goes on, if it was the last."""
        super().rest(member)
        self._due.discard(member)
        self._rested.add(member)
        return self._go_on()

    def leave(self, member: str) -> Sequence[str]:
        """Nobody waits for the member any longer; returns who goes on, if it was the last."""
        if member not in self._due:
            self._rested.discard(member)
            return ()
        self._due.remove(member)
        return self._go_on()

    def exhausted(self) -> str:
        """Why nobody may have another turn: the last round is under way."""
        rounds = self.group.rounds
        return f"it was not done after {rounds} rounds" if self.round >= rounds else ""

    def _go_on(self) -> Sequence[str]:
        if self._due:
            return ()
        # Whoever comes when the others have ended reads what they said in a round behind it.
        over = bool(self._rested or self._drafts) and self.round < self.group.rounds
        self._drafts.sort(key=self._place)
        self.log += self._drafts
        self._drafts.clear()
        following = sorted(self._rested, key=self._places.__getitem__)
        self._rested.clear()
        self.round += over
        return following

    def _place(self, post: Post) -> tuple[int, str]:
        """Members in their order, each in its own; behind them the run, whatever came first."""
        last = len(self._places)
        return self._places.get(post.author, last), post.text if post.author == RUN else ""


def ready(node: Node) -> Fate:
    """How the item ends, now that every sub-task has: with the board, and what they differ in."""
    fate = parallel.ready(node)
    board = node.talk
    if fate.output is None or board is None:
        return fate
    shared = {"board": board.entries(), "conflicts": conflicts(fate.output)}
    return Fate(fate.status, fate.reason, output={**fate.output, **shared})


def conflicts(outputs: Mapping[str, Mapping[str, Json] | None]) -> list[Json]:
    """Where the members differ: each output that several of them give, with who says the same."""
    sides: dict[str, dict[str, list[str]]] = {}
    for member, output in outputs.items():
        for key, value in (output or {}).items():
            said = json.dumps(value, sort_keys=True)
            sides.setdefault(key, {}).setdefault(said, []).append(member)
    return [
        {"output": key, "sides": list(members.values())}
        for key, members in sides.items()
        if len(members) > 1
    ]
