"""What a worker is asked ahead of time: it takes one turn after the other, or none any more.

To wake a process for each turn costs more than most functions do. So a worker that answers at once
is offered several turns. For each there is a ticket, a byte that forge and the worker can both
read: who has read it decides alone whether the turn is made by this worker or is withdrawn.
"""

import asyncio
import socket
from collections import deque
from typing import Literal

from forge_cli.gateway.streams import Capture
from forge_cli.handlers.frames import FRESH, STALE, unread

NUMBERS = 256
"""How many tickets can be told apart; far fewer are out at once."""


class Offer:
    """A turn that a worker is asked for.

    It is `open` until it is `closed` by an answer, or None where the worker ended instead; or
    until it is `withdrawn` before it was taken. `captures` are what it prints, by stream.
    """

    __slots__ = ("answer", "captures", "state", "ticket")

    def __init__(self, ticket: bytes, answer: asyncio.Future[bytes | None]) -> None:
        self.ticket = ticket
        self.answer = answer
        self.captures: dict[str, Capture] = {}
        self.state: Literal["open", "closed", "withdrawn"] = "open"

    def end(self, state: Literal["closed", "withdrawn"], answer: bytes | None = None) -> None:
        """Say what became of it to who still waits for that."""
        self.state = state
        if not self.answer.done():
            self.answer.set_result(answer)

    def printed(self) -> dict[str, bytes]:
        """What the turn printed, by stream, redacted; streams without anything are left out."""
        captures, self.captures = self.captures, {}
        return {name: capture.finish() for name, capture in sorted(captures.items())}


class Offers:
    """The turns that one worker is asked for and has not answered, in order, and their tickets.

    `theirs` is the end of the tickets that the worker gets; `closed` counts the answers. What is
    added goes out together, by `send`.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._ours, self.theirs = socket.socketpair()
        self._open: deque[Offer] = deque()
        self._unsent = b""
        self._number = 0
        self._freshness = FRESH
        self.closed = 0

    def __len__(self) -> int:
        return len(self._open)

    def add(self) -> tuple[Offer, bytes]:
        """Another offer, and what its message begins with."""
        self._number = (self._number + 1) % NUMBERS
        ticket = bytes((self._number,))
        self._unsent += ticket
        offer = Offer(ticket, self._loop.create_future())
        self._open.append(offer)
        beginning = ticket + self._freshness
        self._freshness = STALE
        return offer, beginning

    def send(self) -> None:
        """Let the worker take what was added."""
        if self._unsent:
            self._ours.send(self._unsent)
            self._unsent = b""

    @property
    def only(self) -> Offer | None:
        """The offer that is the only one: what the worker prints belongs to it."""
        return self._open[0] if len(self._open) == 1 else None

    def is_due(self, ticket: bytes) -> bool:
        """Whether an answer that comes with this ticket can be the worker's next.

        It is for the first turn, which the worker has taken: who answers otherwise is not it.
        """
        return bool(self._open) and self._open[0].ticket == ticket and self.begun

    @property
    def begun(self) -> bool:
        """Whether the worker has taken the first turn."""
        return unread(self.theirs.fileno()) + len(self._unsent) < len(self._open)

    def close_first(self, answer: bytes | None) -> None:
        """The worker has answered the first of them; or None: it never will."""
        self.closed += 1
        self._open.popleft().end("closed", answer)

    def renew(self) -> None:
        """What is offered next is offered by one who has read all answers."""
        self._freshness = FRESH

    def withdraw(self) -> None:
        """Take back what the worker has not taken, except the first, which is its own."""
        tickets = self._tickets()
        if tickets and len(tickets) == len(self._open):
            self._ours.send(tickets[:1])
            tickets = tickets[1:]
        for _ in tickets:
            self._open.pop().end("withdrawn")

    def _tickets(self) -> bytes:
        """Those that the worker has not read, which nobody can read any more."""
        if not self._open:
            return b""
        unsent, self._unsent = self._unsent, b""
        try:
            tickets = self.theirs.recv(NUMBERS, socket.MSG_DONTWAIT)
        except BlockingIOError:
            tickets = b""
        return (tickets + unsent)[: len(self._open)]

    def close(self) -> None:
        """The worker has ended: what it had not taken is withdrawn, the rest gets no answer.

        One that has not answered anything could not begin, nor could another: that is an answer.
        """
        if not self.closed:
            self.withdraw()
        for _ in self._tickets() if self.closed else b"":
            self._open.pop().end("withdrawn")
        while self._open:
            self.close_first(None)
        self._ours.close()
        self.theirs.close()
