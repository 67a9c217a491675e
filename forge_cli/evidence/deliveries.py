"""Messages between sub-tasks: each reaches those who listen to it, and reaches them once."""

from collections.abc import Iterator, Mapping

from forge_cli.evidence.checks import Faults
from forge_cli.evidence.layout import EVENTS
from forge_cli.multiagent.board import RUN, Board, Post, Window
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.run_state import RunState


class Deliveries:
    """Follows how far each sub-task has read, from the events alone.

    Who may hear a message is stated anew on the plan: not its author, and nobody who listens to
    other channels or tags only.
    """

    def __init__(self, state: RunState) -> None:
        self.faults = Faults("messages")
        self.turns = self.delivered = 0
        self._state = state
        self._read: dict[str, int] = {}
        self._open: dict[str, tuple[int, Mapping[str, Json]]] = {}

    def check(self, event: Event, line: int) -> None:
        """Look at an event that the run has just applied."""
        if event.kind == "turn_started" and "heard" in event.body:
            self.turns += 1
            for fault in self._started(event):
                self.faults.add(f"{EVENTS}:{line}: the turn of {event.item!r} {fault}")
        elif event.kind == "turn_ended" and event.item in self._open:
            turn, heard = self._open.pop(event.item)
            if event.body["status"] == "yields":
                self._read[event.item] = heard["upto"]
            elif event.body.get("kind") == "cancelled":
                self._open[event.item] = turn, heard  # it may be made again after an interruption

    def _started(self, event: Event) -> Iterator[str]:
        node = self._state.nodes[event.item]
        turn, heard = event.body["turn"], event.body["heard"]
        before = self._open.get(event.item)
        self._open[event.item] = turn, heard
        if node.board is None:
            yield "hears of a board, and is no part of an item that has one"
            return
        due = self._read.get(event.item, 0) if turn > 1 else 0
        if heard["after"] != due:
            yield f"is given what follows message {heard['after']}, it had read {due}"
        if not due <= heard["upto"] <= len(node.board.log):
            size = len(node.board.log)
            yield f"is given messages up to number {heard['upto']}, the board has {size}"
        elif before is not None and before[0] == turn and turn > 1 and _differ(before[1], heard):
            yield f"is made again and given {dict(heard)}, it was given {dict(before[1])}"
        else:
            yield from self._wrong(node, node.board, turn, heard)

    def _wrong(
        self, node: Node, board: Board, turn: int, heard: Mapping[str, Json]
    ) -> Iterator[str]:
        window = _window(turn, heard)
        for number, post in board.messages(node.item_id, window):
            self.delivered += 1
            if not _is_for(node, post):
                yield f"is given message {number}, to which it does not listen"


def _window(turn: int, heard: Mapping[str, Json]) -> Window:
    return Window(turn, heard["after"], heard["upto"], heard.get("lost", 0))


def _differ(heard: Mapping[str, Json], again: Mapping[str, Json]) -> bool:
    """Whether other messages are given; the round may be a later one by then."""
    return _window(0, heard) != _window(0, again)


def _is_for(node: Node, post: Post) -> bool:
    listens = node.item.listens
    marks = {post.channel} if post.channel else set(post.tags)
    heard = listens is None or bool(marks & set(listens))
    return post.author == RUN or (post.author != node.item_id and heard)
