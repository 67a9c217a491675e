"""A board and a bus beside models of them: members begin, post, are lost and end in any order."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from forge_cli.multiagent.board import INLINE, RUN, Board, Post
from forge_cli.multiagent.patterns.broadcast import Bus
from forge_cli.multiagent.patterns.joint import Rounds
from forge_cli.multiagent.plan import Item
from tests.multiagent.world import item
from tests.programme import size

NAMES = ("g.a", "g.b", "g.c")
CHANNELS = ("left", "right")
BUFFER = 3
ROUNDS = 4
TOPICS = st.one_of(st.none(), st.lists(st.sampled_from(CHANNELS), unique=True).map(tuple))

Said = tuple[str, str]
"""Who posted, and what."""


@dataclass
class Mailbox:
    """What waits for one member, as a queue of its own; `held` is what its turn was given."""

    listens: tuple[str, ...] | None
    waiting: list[Said] = field(default_factory=list)
    all: list[Said] = field(default_factory=list)
    held: list[Said] | None = None
    turn: int = 1
    running: bool = False
    begins_anew: bool = False

    def put(self, said: Said) -> None:
        self.waiting.append(said)
        self.all.append(said)

    def begin(self, buffer: int) -> list[Said]:
        """What the turn is given: what it had if it is made again, else all that waits."""
        if self.held is None:
            self.held = self.waiting[-buffer:] if buffer else list(self.waiting)
            self.waiting = []
        self.running, self.begins_anew = True, False
        return self.held

    def done(self) -> None:
        self.held, self.running, self.turn = None, False, self.turn + 1

    def anew(self) -> None:
        """An attempt from the start remembers nothing, and gets all there ever was."""
        self.held, self.running, self.turn, self.waiting = None, False, 1, list(self.all)
        self.begins_anew = True


class Talk(RuleBasedStateMachine):
    """Members of one item: each is begun, lost, done or begun anew; `boxes` are the model."""

    board: Board
    boxes: dict[str, Mailbox]
    buffer = 0

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def begin_turn(self, name: str) -> None:
        box = self.boxes[name]
        window = self.board.window(name, box.turn)
        given = [(post.author, post.text) for _, post in self.board.messages(name, window)]
        waited = len(box.waiting)
        fresh = box.held is None
        assert given == box.begin(self.buffer)
        if fresh:
            assert window.lost == (max(0, waited - self.buffer) if self.buffer else 0)
        self.board.begin(name, window)

    def text(self) -> str:
        self.count += 1
        return f"text {self.count}"

    def deliver(self, author: str, text: str, topics: Sequence[str]) -> None:
        """Put what has been said into the box of everybody who is to hear it."""
        for name, box in self.boxes.items():
            mine = author == name
            heard = box.listens is None or set(box.listens) & set(topics)
            if author == RUN or (heard and not mine):
                box.put((author, text))

    def among(self, running: bool) -> list[str]:
        return [name for name, box in self.boxes.items() if box.running == running]

    @invariant()
    def what_nobody_was_given_is_known(self) -> None:
        for name, box in getattr(self, "boxes", {}).items():
            assert box.begins_anew or self.board.undelivered(name) == len(box.waiting)


class Talking(Talk):
    """A bus: what is posted is there at once, and nobody waits."""

    buffer = BUFFER

    @initialize(listens=st.lists(TOPICS, min_size=3, max_size=3))
    def open(self, listens: list[tuple[str, ...] | None]) -> None:
        members = [
            item(name, parent="g", listens=heard)
            for name, heard in zip(NAMES, listens, strict=True)
        ]
        group = item("g", role_id="", pattern="broadcast", children=NAMES, channels=CHANNELS)
        self.board = Bus(group, members, BUFFER)
        self.boxes = {n: Mailbox(h) for n, h in zip(NAMES, listens, strict=True)}

    @precondition(lambda self: self.among(running=False))
    @rule(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        self.begin_turn(data.draw(st.sampled_from(self.among(running=False))))

    @precondition(lambda self: self.among(running=True))
    @rule(data=st.data())
    def lose(self, data: st.DataObject) -> None:
        """The turn is made again, whatever was posted meanwhile, and given the same."""
        self.boxes[data.draw(st.sampled_from(self.among(running=True)))].running = False

    @precondition(lambda self: self.among(running=True))
    @rule(data=st.data(), channels=st.lists(st.sampled_from(CHANNELS), max_size=5))
    def finish(self, data: st.DataObject, channels: list[str]) -> None:
        name = data.draw(st.sampled_from(self.among(running=True)))
        for channel in channels:
            text = self.text()
            self.board.take(Post(name, "worker", "r", 0, text, len(text), (), channel))
            self.deliver(name, text, [channel])
        assert self.board.rest(name) == (name,)
        self.boxes[name].done()

    @precondition(lambda self: self.among(running=True))
    @rule(data=st.data())
    def fail(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(self.among(running=True)))
        self.board.forget(name)
        self.boxes[name].anew()

    @rule()
    def tell(self) -> None:
        text = self.text()
        self.board.tell("cancel", text, 0)
        self.deliver(RUN, text, [])


class Meeting(Talk):
    """A board in rounds: what is posted in one is there in the next, in the members' order."""

    def __init__(self) -> None:
        super().__init__()
        group = item("g", role_id="", pattern="joint", children=NAMES, rounds=ROUNDS)
        self.rounds = Rounds(group, [item(name, parent="g") for name in NAMES])
        self.board = self.rounds
        self.boxes = {name: Mailbox(None) for name in NAMES}
        self.round = 1
        self.due, self.rested = set(NAMES), set[str]()
        self.said: dict[str, list[str]] = {}
        for name in NAMES:
            self.board.join(name)

    @rule()
    def look(self) -> None:
        """The log has all that was said in rounds that are over, in the order of the members."""
        log = [(post.author, post.text) for post in self.board.log]
        for name, box in self.boxes.items():
            assert box.all == [said for said in log if said[0] != name]

    def ready(self) -> list[str]:
        return sorted(self.due.intersection(self.among(running=False)))

    def turns(self) -> list[str]:
        return sorted(self.due.intersection(self.among(running=True)))

    @precondition(lambda self: self.ready())
    @rule(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        assert self.board.marks == {"round": self.round}
        self.begin_turn(data.draw(st.sampled_from(self.ready())))

    @precondition(lambda self: self.turns())
    @rule(data=st.data())
    def lose(self, data: st.DataObject) -> None:
        self.boxes[data.draw(st.sampled_from(self.turns()))].running = False

    @precondition(lambda self: self.turns())
    @rule(data=st.data())
    def fail(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(self.turns()))
        self.board.forget(name)
        self.board.join(name)
        self.boxes[name].anew()

    @precondition(lambda self: self.turns())
    @rule(data=st.data(), posts=st.integers(0, 3), ends=st.booleans(), lost=st.booleans())
    def finish(self, data: st.DataObject, posts: int, ends: bool, lost: bool) -> None:
        name = data.draw(st.sampled_from(self.turns()))
        for _ in range(posts):
            text = self.text()
            self.said.setdefault(name, []).append(text)
            self.board.take(Post(name, "worker", "r", 0, text, len(text), round=self.round))
        self.due.remove(name)
        self.boxes[name].done()
        assert bool(self.board.exhausted()) == (self.round >= ROUNDS)
        if ends or self.board.exhausted():
            if lost:
                text = self.text()
                self.board.tell("cancel", text, 0)
                self.said.setdefault(RUN, []).append(text)
            following = self.board.leave(name)
        else:
            self.rested.add(name)
            following = self.board.rest(name)
        self.follow(following)

    def follow(self, following: Sequence[str]) -> None:
        """Who goes on: nobody while somebody has a turn left, then all who rested, in order."""
        if self.due:
            assert not following
            return
        assert list(following) == [name for name in NAMES if name in self.rested]
        over = (self.rested or self.said) and self.round < ROUNDS
        for author in (*NAMES, RUN):
            texts = self.said.get(author, [])
            for text in sorted(texts) if author == RUN else texts:
                self.deliver(author, text, [])
        self.said.clear()
        self.round += bool(over)
        self.due, self.rested = set(following), set()
        for name in following:
            self.board.join(name)


def test_what_has_no_room_in_one_turn_comes_in_the_next() -> None:
    members = [item(name, parent="g") for name in NAMES]
    group: Item = item("g", role_id="", pattern="broadcast", children=NAMES, channels=CHANNELS)
    bus, half = Bus(group, members), INLINE // 2 + 1
    for text in ("one", "two", "three"):
        bus.take(Post("g.b", "worker", "r", 0, text, half, (), "left"))
    given: list[Any] = []
    for turn in (1, 2, 3, 4):
        window = bus.window("g.a", turn)
        given.append([post.text for _, post in bus.messages("g.a", window)])
        bus.begin("g.a", window)
        bus.rest("g.a")
    assert given == [["one"], ["two"], ["three"], []]


STEPS = settings(max_examples=size("steps") // 40, stateful_step_count=40, deadline=None)
TestTalking = pytest.mark.programme(Talking.TestCase)
TestTalking.settings = STEPS
TestMeeting = pytest.mark.programme(Meeting.TestCase)
TestMeeting.settings = STEPS
