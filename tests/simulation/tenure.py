"""G2 and G8: what was acknowledged stays, in order, and only the last controller adds to it."""

import json
from collections.abc import Sequence

from forge_cli.engines.simulation.ledger import Disk
from forge_cli.ledger.leases import Lease
from forge_cli.multiagent.events import Event
from tests.simulation.broken import hold

RESUMABLE = ("paused", "interrupted")
STARTING = ("turn_started", "item_opened", "item_decided")


class Tenure:
    """Who may write, and a copy of all that was kept."""

    def __init__(self) -> None:
        self._epoch = 0
        self._time = 0
        self._texts: list[str] = []
        self._status = ""
        self._undoing = ""

    def granted(
        self, held: Lease | None, lease: Lease, now: int, by_force: bool, disk: Disk
    ) -> None:
        """A controller got the lease: it must have been free, and nothing be lost."""
        free = held is None or by_force or held.until <= now or held.holder in disk.gone
        hold("G8", free, f"{lease.holder} gets the lease that {held} holds at {now}")
        hold("G8", lease.epoch == self._epoch + 1, f"epoch {lease.epoch} follows {self._epoch}")
        self._epoch = lease.epoch
        self.compare(disk)

    def compare(self, disk: Disk) -> None:
        """What the ledger has is what it acknowledged."""
        found = [json.dumps(event) for event in disk.events()]
        hold(
            "G2",
            found == self._texts,
            f"{len(self._texts)} events were kept, {len(found)} are there",
        )

    def kept(self, events: Sequence[Event], epoch: int, applied: int) -> None:
        """Events were kept of a controller whose machine has `applied` so many by then."""
        hold("G8", epoch == self._epoch, f"epoch {epoch} writes, the lease is at {self._epoch}")
        for event in events:
            hold(
                "G2",
                event.time >= self._time,
                f"{event.kind} is at {event.time}, before {self._time}",
            )
            self._check_end(event)
            self._time = event.time
            self._texts.append(json.dumps(event))
        due = len(self._texts)
        hold("G2", applied == due, f"{due} events are kept, the controller goes by {applied}")

    def _check_end(self, event: Event) -> None:
        """A final status is never left, but that what is left to undo may be undone."""
        if self._status:
            goes_on = event.kind == "run_resumed" and self._status in (*RESUMABLE, "undoing")
            hold("G7", goes_on, f"{event.kind} follows the end {self._status!r}")
        self._undoing = self._undoing or ("failed" if self._status == "undoing" else "")
        if self._undoing:
            hold("G7", event.kind not in STARTING, f"{event.kind} follows an end that is final")
        self._status = ""
        if event.kind == "run_ended":
            end = event.body["status"]
            hold("G7", self._undoing in ("", end), f"a run that failed ends {end}")
            incomplete = event.body.get("compensation") == "incomplete"
            self._status = "undoing" if end == "failed" and incomplete else end
