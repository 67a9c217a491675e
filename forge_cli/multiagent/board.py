"""What the members of one item tell each other: an append-only log, and how far each has read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from forge_cli.multiagent.plan import Item
from forge_cli.multiagent.terms import Json
from forge_cli.multiagent.times import to_text

RUN = "run"
"""Who posts what the engine has to tell; everybody hears it."""

INLINE = 256 * 1024
"""Bytes of messages that one turn is given, and that it may post."""


@dataclass(frozen=True, slots=True)
class Post:
    """One message on the log, never changed.

    `author` is the item that posted it, or `run`; `attempt` the attempt whose turn did. `time` is
    in milliseconds since the epoch, `weight` in bytes. A post stands in a `channel` or in a
    `round`, which are counted from 1. `kind` is one of `messages.KINDS`.
    """

    author: str
    role: str
    attempt: str
    time: int
    text: str
    weight: int
    tags: tuple[str, ...] = ()
    channel: str = ""
    round: int = 0
    kind: str = "result"

    @property
    def sender(self) -> str:
        """The channel that it came by: the role and the item of the turn that posted it."""
        return f"{self.role}#{self.author}" if self.role else self.author

    @property
    def topics(self) -> tuple[str, ...]:
        """What a reader may listen to: its channel, on a board without channels its tags."""
        return (self.channel,) if self.channel else self.tags

    def words(self) -> dict[str, Json]:
        """What a reader is told beside the sender."""
        said: dict[str, Json] = {"text": self.text, "time": to_text(self.time)}
        marks = (
            ("tags", list(self.tags)),
            ("channel", self.channel),
            ("round", self.round),
        )
        return said | {name: mark for name, mark in marks if mark}


class Window(NamedTuple):
    """What one turn is given of the log: the posts behind `after`, up to and with `upto`.

    Of those that its reader hears, the oldest `lost` were dropped, since its buffer holds no more.
    """

    turn: int
    after: int
    upto: int
    lost: int


@dataclass(slots=True)
class Reader:
    """How far a member has read: `read` moves when a turn is done, `given` when one starts."""

    read: int = 0
    given: int = 0
    window: Window | None = None


class Board:
    """The log of one item whose sub-tasks are its `members`, in their order.

    `buffer` is how many messages wait for a reader at most, 0 for any number. What is posted is
    on the log at once, and nobody waits for anybody: a member that wants another turn is ready.
    """

    def __init__(self, group: Item, members: Sequence[Item], buffer: int = 0) -> None:
        self.group = group
        self.members: Mapping[str, Item] = {member.item_id: member for member in members}
        self.log: list[Post] = []
        self._buffer = buffer
        self._readers = {name: Reader() for name in self.members}

    def name_of(self, author: str) -> str:
        """What a member is called within its item."""
        return author.removeprefix(f"{self.group.item_id}.")

    @property
    def marks(self) -> dict[str, Json]:
        """What a `turn_started` says of the board beside what its turn is given."""
        return {}

    def facts(self, member: str) -> dict[str, Json]:  # noqa: ARG002 - others tell more
        """What a turn gets to know of the item that it is a part of."""
        names = [self.name_of(name) for name in self.members]
        return {"pattern": self.group.pattern, "members": names, **self.marks}

    def take(self, post: Post) -> None:
        """Enter what a member has posted."""
        self.log.append(post)

    def tell(self, kind: str, text: str, time: int) -> None:
        """Post something for everybody in the name of the run; `time` is that of an event."""
        weight = len(text.encode())
        self.take(
            Post(RUN, "", "", time, text, weight, round=self.marks.get("round", 0), kind=kind)
        )

    def hears(self, member: str, post: Post) -> bool:
        """Whether the post is for that member: not its own, and on a topic that it listens to."""
        if post.author in (member, RUN):
            return post.author == RUN
        listens = self.members[member].listens
        return listens is None or not frozenset(listens).isdisjoint(post.topics)

    def window(self, member: str, turn: int) -> Window:
        """What the member's next turn is given; one that is made again gets what it had.

        A member that begins anew remembers nothing, so it is given all that there is.
        """
        reader = self._readers[member]
        if reader.window is not None and reader.window.turn == turn:
            return reader.window
        after = reader.read if turn > 1 else 0
        heard = list(self._heard(member, after))
        lost = max(0, len(heard) - self._buffer) if self._buffer else 0
        upto, weight = len(self.log), 0
        for number, post in heard[lost:]:
            weight += post.weight
            if weight > INLINE:
                upto = number - 1  # the rest comes with the turn after it
                break
        return Window(turn, after, upto, lost)

    def messages(self, member: str, window: Window) -> list[tuple[int, Post]]:
        """The posts of a window, each with its number on the log."""
        heard = (pair for pair in self._heard(member, window.after) if pair[0] <= window.upto)
        return list(heard)[window.lost :]

    def begin(self, member: str, window: Window) -> None:
        """A turn of the member has started with that window."""
        reader = self._readers[member]
        reader.window, reader.given = window, window.upto

    def forget(self, member: str) -> None:
        """The member's next turn is not its last one made again."""
        self._readers[member].window = None

    def rest(self, member: str) -> Sequence[str]:
        """The member's turn is done and it wants another; returns who may go on."""
        reader = self._readers[member]
        reader.read, reader.window = reader.given, None
        return (member,)

    def join(self, member: str) -> None:
        """The member is ready for a turn."""

    def leave(self, member: str) -> Sequence[str]:  # noqa: ARG002 - nobody waits for it
        """The member has ended or awaits a decision; returns who need not wait any longer."""
        return ()

    def exhausted(self) -> str:
        """Why nobody may have another turn, or nothing."""
        return ""

    def undelivered(self, member: str) -> int:
        """How many posts came after the member's last turn, which it would have heard."""
        return sum(1 for _ in self._heard(member, self._readers[member].given))

    def entries(self) -> list[Json]:
        """The log for outputs and evidence, in its order."""
        return [{"author": self.name_of(post.author), **post.words()} for post in self.log]

    def _heard(self, member: str, after: int) -> Iterator[tuple[int, Post]]:
        for number, post in enumerate(self.log[after:], after + 1):
            if self.hears(member, post):
                yield number, post
