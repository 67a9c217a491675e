"""Writing the ledger of one run: an append-only event store in one SQLite file."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Self

from forge_cli.errors import ForgeError
from forge_cli.ledger import durable, faults, leases, schema
from forge_cli.ledger.leases import Lease
from forge_cli.ledger.lines import GENESIS, seal
from forge_cli.ledger.reader import Reader
from forge_cli.ledger.tree import Tree
from forge_cli.multiagent.events import Event

_INSERT = (
    "INSERT INTO events (seq, time, kind, item, attempt, body, digest, prev) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)


class Store(Reader):
    """A ledger whose lease this process holds."""

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        lease: Lease,
        before: Lease | None = None,
    ) -> None:
        """`before` is the lease that this one follows."""
        super().__init__(path, connection)
        self._lease = lease
        self._before = before
        self._file = faults.identity(path)
        self._tree = Tree()
        last = self.last()
        self._size, self._digest = (last.seq, last.digest) if last else (0, GENESIS)

    @classmethod
    def create(
        cls,
        path: Path,
        run: str,
        holder: str,
        now: int,
        meta: Mapping[str, str] | None = None,
    ) -> Self:
        """A new ledger, held by `holder` from `now` (milliseconds since the epoch, UTC).

        `meta` is what readers are to know of the run beside its events. `ForgeError` if the file
        is there already.
        """
        notes = {**(meta or {}), "run": run, "created": str(now)}
        lease = _make(path, run, holder, now, notes)
        try:
            with faults.sentences(path):
                return cls(path, schema.open_to_write(path), lease)
        except BaseException:
            _remove(path)
            raise

    @classmethod
    def take(
        cls,
        path: Path,
        holder: str,
        now: int,
        by_force: bool = False,
    ) -> Self:
        """An existing ledger, to write on with the next epoch; `ForgeError` while it is held.

        Who holds it is fenced where it is taken `by_force`, or its process is gone.
        """
        with faults.sentences(path):
            connection = schema.open_to_write(path)
            try:
                with _transaction(connection):
                    before = leases.read(connection)
                    lease = leases.take(connection, path.parent.name, holder, now, by_force)
            except BaseException:
                connection.close()
                raise
        return cls(path, connection, lease, before)

    @property
    def epoch(self) -> int:
        """The epoch of the lease that this writer holds."""
        return self._lease.epoch

    @property
    def size(self) -> int:
        """How many events there are."""
        return self._size

    def append(self, events: Sequence[Event]) -> None:
        """Append the events as one unit; they are durable when this returns.

        `ForgeError` if the lease was lost to another controller or the disk refuses: then none of
        them was kept.
        """
        lines = list(seal(events, self._size + 1, self._digest))
        rows = [
            (n, e.time, e.kind, e.item, e.attempt, body, digest, prev)
            for n, e, body, digest, prev, _, _ in lines
        ]
        with faults.sentences(self.path), _transaction(self._connection):
            # Whoever takes the lease waits for this transaction, so one look is good for all rows.
            if not leases.holds(self._connection, self._lease):
                raise self._fenced()
            self._connection.executemany(_INSERT, rows)
        if lines:
            self._size, self._digest = lines[-1].seq, lines[-1].digest

    def head(self) -> tuple[str, int]:
        """The RFC 6962 root over the lines, in hex, and their number.

        The tree grows here, not in `append`: who never asks does not pay for it.
        """
        for text in self.texts(after=self._tree.size):
            self._tree.add(text.encode())
        return self._tree.root(), self._tree.size

    def renew(self, now: int) -> None:
        """Hold the lease for another `leases.SPAN` milliseconds.

        `ForgeError` if it was lost, or the ledger's file is no longer at its place.
        """
        self.check_place()
        self._move(now + leases.SPAN)

    def check_place(self) -> None:
        """`ForgeError` if the file that is written to is no longer at its path.

        SQLite goes on writing to a file that somebody removed, and nobody could read it afterwards.
        """
        if not self.is_at_its_place():
            raise faults.removed(self.path)

    def is_at_its_place(self) -> bool:
        """Whether the file that is written to is the one at its path."""
        return faults.identity(self.path) == self._file

    def release(self) -> None:
        """Give the lease back, so that another controller need not wait."""
        self._move(leases.RELEASED)

    def put_back(self) -> None:
        """Let the lease be as it was before it was taken; nothing may have been appended."""
        if self._before is not None:
            with faults.sentences(self.path), _transaction(self._connection):
                leases.put_back(self._connection, self._lease, self._before)

    def _move(self, until: int) -> None:
        with faults.sentences(self.path), _transaction(self._connection):
            if not leases.move(self._connection, self._lease, until):
                raise self._fenced()

    def _fenced(self) -> ForgeError:
        held = leases.read(self._connection)
        return leases.fenced(
            self.path.parent.name, self._lease, held.holder if held else "another controller"
        )


def _make(path: Path, run: str, holder: str, now: int, notes: Mapping[str, str]) -> Lease:
    """Put a whole ledger at the path, or nothing, wherever this is cut off."""
    durable.make_folder(path.parent)
    try:
        with (
            faults.sentences(path),
            durable.begun(path) as file,
            closing(schema.create(file)) as connection,
        ):
            lease = leases.take(connection, run, holder, now)
            connection.executemany("INSERT INTO meta VALUES (?, ?)", notes.items())
            schema.finish(connection)
    except FileExistsError:
        raise ForgeError(
            f"run '{run}' exists already ('{path}'); choose another --run-id, or leave it out"
        ) from None
    except BaseException:
        with suppress(OSError):
            path.parent.rmdir()
        raise
    return lease


def _remove(path: Path) -> None:
    """Take away this process's own new ledger, and its folder if nothing else is there."""
    with suppress(OSError):
        for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
            path.with_name(name).unlink(missing_ok=True)
        path.parent.rmdir()


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # A disk that is full has SQLite roll back by itself.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
