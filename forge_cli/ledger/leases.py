"""The lease: who may write to a run, as an epoch that only grows."""

import sqlite3
from dataclasses import dataclass

from forge_cli.errors import ForgeError
from forge_cli.ledger import holders
from forge_cli.multiagent.times import to_text

SPAN = 60_000
"""For how many milliseconds a lease holds; whoever holds it renews it well before."""


RELEASED = 0
"""When a lease ends that is held by nobody any more."""


@dataclass(frozen=True, slots=True)
class Lease:
    """Who holds a run, and until when (milliseconds since the epoch, UTC). Epochs start at 1.

    `until` is `RELEASED` once the holder gave it back.
    """

    holder: str
    epoch: int
    until: int


def read(connection: sqlite3.Connection) -> Lease | None:
    """The lease as it stands."""
    row = connection.execute("SELECT holder, epoch, until FROM lease").fetchone()
    return None if row is None else Lease(*row)


def holds(connection: sqlite3.Connection, lease: Lease) -> bool:
    """Whether the lease is still the one of its epoch, within the caller's transaction."""
    query = "SELECT 1 FROM lease WHERE epoch = ?"
    return connection.execute(query, (lease.epoch,)).fetchone() is not None


def is_held(lease: Lease, now: int) -> bool:
    """Whether nobody else may take the lease, except by force.

    The clock says so, or else the holder itself: a clock that was set must not take a run from a
    process of this host that is at work.
    """
    if lease.until == RELEASED or holders.is_gone(lease.holder):
        return False
    return lease.until > now or holders.is_at_work(lease.holder)


def take(
    connection: sqlite3.Connection, run: str, holder: str, now: int, by_force: bool = False
) -> Lease:
    """Take the lease with the next epoch, within the caller's transaction.

    `ForgeError` while another one holds it, unless that one is gone or it is taken `by_force`.
    Whoever held it before is fenced: what it writes from now on is not kept.
    """
    held = read(connection)
    if held is not None and not by_force and is_held(held, now):
        raise ForgeError(
            f"run '{run}' is held by {holders.named(held.holder)}, {_how_long(held, now)}, end "
            f"that process, or take the run from it:  forge resume {run} --take-over"
        )
    lease = Lease(holder, 1 if held is None else held.epoch + 1, now + SPAN)
    connection.execute(
        "INSERT OR REPLACE INTO lease (only, holder, epoch, until) VALUES (1, ?, ?, ?)",
        (lease.holder, lease.epoch, lease.until),
    )
    return lease


def _how_long(held: Lease, now: int) -> str:
    if held.until > now:
        return f"its lease lasts until {to_text(held.until)}; wait until it ends"
    return "which is at work; wait until it is done"


def move(connection: sqlite3.Connection, lease: Lease, until: int) -> bool:
    """Let the lease end at another time; false if it is no longer this one."""
    return (
        connection.execute(
            "UPDATE lease SET until = ? WHERE epoch = ?", (until, lease.epoch)
        ).rowcount
        == 1
    )


def put_back(connection: sqlite3.Connection, lease: Lease, before: Lease) -> None:
    """Let the lease be as it was before this one, under which nothing was written."""
    connection.execute(
        "UPDATE lease SET holder = ?, epoch = ?, until = ? WHERE epoch = ?",
        (before.holder, before.epoch, before.until, lease.epoch),
    )


def fenced(run: str, lease: Lease, holder: str) -> ForgeError:
    """The sentence for a writer whose run was taken over."""
    return ForgeError(
        f"run '{run}' was taken over by {holders.named(holder)}: this controller "
        f"({holders.named(lease.holder)}, epoch {lease.epoch}) may no longer write; nothing of "
        "what it was about to record was kept"
    )
