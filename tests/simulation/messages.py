"""G6: a message is from whom it says, reaches who listens to it, and reaches that one once."""

from collections.abc import Mapping
from typing import Any

from forge_cli.multiagent.events import Event
from forge_cli.multiagent.messages import AgentMessage
from forge_cli.multiagent.plan import Item, Json, Plan
from forge_cli.multiagent.turn import Turn
from tests.simulation.broken import hold
from tests.simulation.turns import undoes

TALKS = frozenset({"joint", "broadcast"})


class Messages:
    """What was posted by what is durable, and what calls were given in the world."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._said: dict[tuple[str, str], tuple[str, Mapping[str, Json]]] = {}
        self._read: dict[str, set[str]] = {}
        self._given: dict[str, tuple[int, list[tuple[str, Any]]]] = {}
        self._lost: dict[str, tuple[int, list[tuple[str, Any]]]] = {}

    def kept(self, event: Event) -> None:
        """Follow an event that is durable."""
        if event.kind == "turn_started":
            self._given.pop(event.item, None)
        elif event.kind == "turn_ended":
            self._lost.pop(event.item, None)
            sender = event.body["sender"]
            for post in event.body.get("posts", ()):
                if isinstance(post, dict) and isinstance(post.get("text"), str):
                    self._said[event.attempt, post["text"]] = sender, post
            if event.body["status"] == "yields" and event.item in self._given:
                ids = (name for name, _ in self._given[event.item][1] if name)
                self._read.setdefault(event.item, set()).update(ids)
        elif event.kind == "turn_lost" and event.item in self._given:
            self._lost[event.item] = self._given[event.item]
        elif event.kind == "item_decided" and event.body["decision"] == "reissue":
            self._lost.pop(event.item, None)

    def began(self, turn: Turn) -> None:
        """A call began: what it is given must have been said, be for it, and be new to it."""
        item = self._plan.items.get(turn.item_id)
        parent = self._plan.items.get(item.parent or "") if item is not None else None
        given = [message for message in turn.inbox if "text" in message.payload]
        if undoes(turn):
            hold("G6", not turn.inbox, f"{turn.item_id!r} is undone, and is given {turn.inbox}")
            return
        # What it is told by the run is of its own attempt, but for its words.
        said = [(m.message_id if "text" in m.payload else "", m.payload) for m in turn.inbox]
        before = self._lost.pop(turn.item_id, None)
        same = before is None or before == (turn.number, said) or before[0] != turn.number
        hold("G6", same, f"{turn.attempt_id!r} is made again with {said}, before it was {before}")
        self._given[turn.item_id] = turn.number, said
        if item is None or parent is None or parent.pattern not in TALKS:
            hold("G6", not given, f"{turn.item_id!r} works alone, and is given {given}")
            return
        ids = [message.message_id for message in given]
        if turn.number == 1:
            self._read[turn.item_id] = set()
        seen = self._read.setdefault(turn.item_id, set())
        twice = len(set(ids)) < len(ids) or not seen.isdisjoint(ids)
        hold("G6", not twice, f"{turn.attempt_id!r} is given {ids}, and had {sorted(seen)}")
        for message in given:
            self._check(turn, item, message)

    def _check(self, turn: Turn, item: Item, message: AgentMessage) -> None:
        words = message.payload
        if message.sender == "run":
            hold("G6", message.kind in ("cancel", "request"), f"the run sends {message}")
            return
        said = self._said.get((message.correlation_id, words["text"]))
        hold("G6", said is not None, f"{turn.item_id!r} is given {message}, which nobody said")
        assert said is not None
        sender, post = said
        hold("G6", sender == message.sender, f"{message} is from {sender!r}")
        hold("G6", not sender.endswith(f"#{turn.item_id}"), f"{message} is its reader's own")
        topics = {words["channel"]} if "channel" in words else set(post.get("tags", ()))
        listens = item.listens is None or not topics.isdisjoint(item.listens)
        hold("G6", listens, f"{turn.item_id!r} listens to {item.listens}, and is given {message}")
        author = self._plan.items[sender.partition("#")[2]]
        may = "channel" not in words or author.posts is None or words["channel"] in author.posts
        hold("G6", may, f"{author.item_id!r} posts to {author.posts}, and {message} is there")
        now: dict[str, Any] = turn.group
        last = now.get("round") == now.get("rounds", 0)
        before = words.get("round", 0) < now.get("round", 1)
        hold("G6", before or last, f"{message} is read in round {now}")
