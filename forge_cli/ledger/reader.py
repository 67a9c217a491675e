"""Reading the ledger of one run, also while somebody writes to it."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from forge_cli.ledger import faults, leases, schema
from forge_cli.ledger.leases import Lease
from forge_cli.ledger.lines import GENESIS, Line, join
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Json

_COLUMNS = "SELECT seq, time, kind, item, attempt, body, digest, prev FROM events"


class Reader:
    """A ledger that is open. One thread may use it at a time.

    Every method raises `ForgeError` with a sentence when the file can no longer be used.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    @classmethod
    def open(cls, path: Path) -> "Reader":
        """The ledger at the path, to read; its writer is not disturbed."""
        with faults.sentences(path):
            return Reader(path, schema.open_to_read(path))

    def events(self) -> Iterator[Event]:
        """All events, first to last, as they were kept, at half the cost of their lines."""
        query = "SELECT time, kind, item, attempt, body FROM events ORDER BY seq"
        with faults.reading(self.path):
            for time, kind, item, attempt, body in self._connection.execute(query):
                yield Event(time, kind, item, attempt, _body(body))

    def sound(self) -> Iterator[Event]:
        """All events, each held against its digest and the event before.

        `ForgeError` at the first that is not as it was recorded.
        """
        prev = GENESIS
        for number, line in enumerate(self.lines(), start=1):
            if (line.seq, line.prev, line.digest) != (number, prev, line.due):
                raise faults.damaged(self.path, f"event {number} is not the one that was recorded")
            prev = line.digest
            yield line.event

    def lines(self, after: int = 0) -> Iterator[Line]:
        """All events behind number `after` as lines. Digests are as kept, not recomputed."""
        query = f"{_COLUMNS} WHERE seq > ? ORDER BY seq"
        with faults.reading(self.path):
            for row in self._connection.execute(query, (after,)):
                yield _line(*row)

    def texts(self, after: int = 0) -> Iterator[str]:
        """The texts of these lines, at half the cost: no body is read for it."""
        query = f"{_COLUMNS} WHERE seq > ? ORDER BY seq"
        with faults.reading(self.path):
            for seq, time, kind, item, attempt, body, digest, prev in self._connection.execute(
                query, (after,)
            ):
                yield join(Event(time, kind, item, attempt), body, seq, prev, digest).text

    def last(self) -> Line | None:
        """The newest event, if there is one."""
        with faults.reading(self.path):
            row = self._connection.execute(f"{_COLUMNS} ORDER BY seq DESC LIMIT 1").fetchone()
            return None if row is None else _line(*row)

    def meta(self) -> dict[str, str]:
        """What was noted of the run when it was created; `run` and `created` are always there."""
        with faults.sentences(self.path):
            return dict(self._connection.execute("SELECT key, value FROM meta"))

    def lease(self) -> Lease | None:
        """The lease as it stands in the file."""
        with faults.sentences(self.path):
            return leases.read(self._connection)

    def close(self) -> None:
        """Close the file."""
        with faults.sentences(self.path):
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _line(
    seq: int, time: int, kind: str, item: str, attempt: str, body: str, digest: str, prev: str
) -> Line:
    return join(Event(time, kind, item, attempt, _body(body)), body, seq, prev, digest)


def _body(text: str) -> dict[str, Json]:
    body: dict[str, Json] = json.loads(text)
    if type(body) is not dict:
        raise TypeError("a body is no object")
    return body
