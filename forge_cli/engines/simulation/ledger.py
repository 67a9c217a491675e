"""A ledger in memory: it keeps what it acknowledged, and fences whoever lost the lease."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from forge_cli.errors import ForgeError
from forge_cli.ledger.leases import RELEASED, SPAN, Lease, fenced
from forge_cli.multiagent.events import Event

Accident = Callable[[Callable[[], None]], None]
"""What befalls an append: it is given what keeps the events, and may raise before or after."""


class Disk:
    """What outlives the controllers of one run: its events and its lease.

    `gone` are holders that are known to have ended; `accident` is what befalls appends, `told` is
    told what was kept, and under which epoch.
    """

    def __init__(self) -> None:
        self.lease: Lease | None = None
        self.gone: set[str] = set()
        self.accident: Accident = lambda keep: keep()
        self.told: Callable[[Sequence[Event], int], None] = lambda *_: None
        self._texts: list[str] = []

    def __len__(self) -> int:
        return len(self._texts)

    def events(self) -> Iterator[Event]:
        """All events, first to last, as they were kept: nothing is shared with who wrote them."""
        for text in self._texts:
            yield Event(*json.loads(text))

    def take(self, holder: str, now: int, by_force: bool = False) -> "MemoryLedger":
        """The ledger, to write on with the next epoch; `ForgeError` while another holds it.

        `now` is in milliseconds since the epoch (UTC).
        """
        held = self.lease
        if held and not by_force and held.until > now and held.holder not in self.gone:
            raise ForgeError(f"the run is held by {held.holder} until {held.until}")
        self.lease = Lease(holder, held.epoch + 1 if held else 1, now + SPAN)
        return MemoryLedger(self, self.lease)

    def keep(self, events: Sequence[Event], epoch: int) -> None:
        """Keep the events of a writer of that epoch, all of them or none."""
        self._texts += [json.dumps(event) for event in events]
        self.told(events, epoch)


class MemoryLedger:
    """A controller's hold on the ledger, for as long as its epoch is the last."""

    def __init__(self, disk: Disk, lease: Lease) -> None:
        self._disk = disk
        self._lease = lease

    @property
    def lease(self) -> Lease:
        """The lease as it was taken."""
        return self._lease

    @property
    def epoch(self) -> int:
        """The epoch of the lease that this writer holds."""
        return self._lease.epoch

    def append(self, events: Sequence[Event]) -> None:
        """Append the events as one unit; `ForgeError`, and nothing is kept, if it is fenced."""
        self._check()
        self._disk.accident(lambda: self._disk.keep(events, self.epoch))

    def renew(self, now: int) -> None:
        """Hold the lease for another `leases.SPAN` milliseconds."""
        self._move(now + SPAN)

    def release(self) -> None:
        """Give the lease back, so that another controller need not wait."""
        self._move(RELEASED)

    def _move(self, until: int) -> None:
        self._check()
        self._disk.lease = replace(self._lease, until=until)

    def _check(self) -> None:
        held = self._disk.lease
        if held is None or held.epoch != self._lease.epoch:
            raise fenced("simulated", self._lease, held.holder if held else "nobody")
