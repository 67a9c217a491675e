"""Bugs of ledger and engine: each breaks one thing of them, and nothing else."""

from collections.abc import Iterator, Sequence
from typing import Any

from forge_cli.engines.simulation.controller import SkewedClock
from forge_cli.engines.simulation.engine import Response, SimulationEngine
from forge_cli.engines.simulation.ledger import Disk, MemoryLedger
from forge_cli.errors import ForgeError
from forge_cli.ledger.leases import SPAN, Lease
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.turn import Turn
from tests.simulation.planting import Plant, method, ways


class HeldTwice(Disk):
    def take(self, holder: str, now: int, by_force: bool = False) -> MemoryLedger:
        return super().take(holder, now, by_force=True)


class SameEpoch(Disk):
    def take(self, holder: str, now: int, by_force: bool = False) -> MemoryLedger:
        super().take(holder, now, by_force)
        self.lease = Lease(holder, 1, now + SPAN)
        return MemoryLedger(self, self.lease)


class Torn(Disk):
    """Loses the last event of long commits."""

    def keep(self, events: Sequence[Event], epoch: int) -> None:
        super().keep(events, epoch)
        if len(events) > 2:
            self._texts.pop()


class Late(Disk):
    """Acknowledges first and writes when the next commit comes."""

    def __init__(self) -> None:
        super().__init__()
        self._unwritten: list[str] = []

    def keep(self, events: Sequence[Event], epoch: int) -> None:
        super().keep(events, epoch)
        texts = self._texts[len(self._texts) - len(events) :]
        del self._texts[len(self._texts) - len(events) :]
        self._texts += self._unwritten
        self._unwritten = texts


class Altering(Disk):
    """Reads back a moment later than it was written."""

    def events(self) -> Iterator[Event]:
        for number, event in enumerate(super().events()):
            yield event._replace(time=event.time + (number > 4))


def _half(self: MemoryLedger, events: Sequence[Event]) -> None:
    self._check()
    self._disk.keep(events[:1], self.epoch)
    self._disk.accident(lambda: self._disk.keep(events[1:], self.epoch))


class Hasty(SimulationEngine):
    """Begins turns before they are durable."""

    def _decide(self) -> list[Turn]:
        for turn in super()._decide():
            self._start(turn)
        return []


class Heedless(SimulationEngine):
    """Begins what was cancelled in the same pass."""

    def _start(self, turn: Turn) -> None:
        self._cancelled.discard(turn.attempt_id)
        super()._start(turn)


class Timeless(SimulationEngine):
    """Never looks at the time that a turn has."""

    def _start(self, turn: Turn) -> None:
        super()._start(turn)
        self._timers.clear()


class Deaf(SimulationEngine):
    """Asks no turn to end."""

    def _cancel(self, attempt: str) -> None:
        self._cancelled.add(attempt)


class Careless(SimulationEngine):
    """Loses each seventh answer."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._number = 0

    def deliver(self, answer: Response) -> None:
        self._number += 1
        if self._number % 7:
            super().deliver(answer)


class Stubborn(SimulationEngine):
    """Goes on though the ledger refused."""

    def _commit(self) -> None:
        try:
            super()._commit()
        except ForgeError:
            self._batch = []


class Forger(SimulationEngine):
    """Records an answer under the turn that runs, whatever it answers."""

    def deliver(self, answer: Response) -> None:
        turn = self._turns.get(answer.attempt)
        number = turn.number if turn else answer.turn
        sender = f"{turn.role_id}#{turn.item_id}" if turn else answer.sender
        super().deliver(answer._replace(turn=number, sender=sender))


SHELLS: dict[str, tuple[str, Plant]] = {
    "fencing is off": ("G8", method(MemoryLedger, "_check", lambda self: None)),
    "a lease is given to whoever asks": ("G8", ways(disk=HeldTwice)),
    "an epoch is used again": ("G8", ways(disk=SameEpoch)),
    "a long commit loses its last event": ("G2", ways(disk=Torn)),
    "a commit is acknowledged before it is kept": ("G2", ways(disk=Late)),
    "events are read back otherwise": ("G2", ways(disk=Altering)),
    "half of a commit is kept when its controller crashes": (
        "G2",
        method(MemoryLedger, "append", _half),
    ),
    "a clock falls behind what was recorded": (
        "G2",
        method(SkewedClock, "not_before", lambda self, time: time),
    ),
    "turns begin before they are durable": ("G3", ways(engine=Hasty)),
    "a turn that was cancelled begins": ("G3", ways(engine=Heedless)),
    "a turn has all the time there is": ("G1", ways(engine=Timeless)),
    "no call is asked to end": ("G1", ways(engine=Deaf)),
    "an answer is lost": ("end", ways(engine=Careless)),
    "a refusal of the ledger is ignored": ("G3", ways(engine=Stubborn)),
    "an answer is recorded as another's": ("G6", ways(engine=Forger)),
}
"""Each bug, the promise it breaks, and how it is planted."""
