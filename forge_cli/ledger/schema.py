"""The tables of a ledger, and how its file is opened and known as one."""

import sqlite3
from pathlib import Path
from urllib.parse import quote

from forge_cli.ledger import faults

APPLICATION_ID = 0x464F5247
"""`FORG`, in the SQLite header: the file is a ledger."""

VERSION = 1
"""The schema's version, in the SQLite header."""

_TABLES = """
CREATE TABLE events (
  seq INTEGER PRIMARY KEY, time INTEGER NOT NULL, kind TEXT NOT NULL, item TEXT NOT NULL,
  attempt TEXT NOT NULL, body TEXT NOT NULL, digest TEXT NOT NULL, prev TEXT NOT NULL
) STRICT;
CREATE TABLE lease (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  holder TEXT NOT NULL, epoch INTEGER NOT NULL, until INTEGER NOT NULL
) STRICT;
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
"""

_HEADER = 100
"""Bytes of an SQLite header; in a shorter file SQLite sees an empty database."""

PATIENCE = 5.0
"""Seconds to wait for a lock of another process."""


def create(path: Path) -> sqlite3.Connection:
    """A connection that fills a new ledger, its tables made.

    Nothing is durable before `finish` and a sync of the file: it is not yet where readers look.
    """
    connection = _connect(path, "rw")
    connection.executescript(
        "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; BEGIN;"
        f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION};{_TABLES}"
    )
    return connection


def finish(connection: sqlite3.Connection) -> None:
    """Let a new ledger be written to as ledgers are, once it is closed and at its place."""
    connection.execute("COMMIT")
    connection.execute("PRAGMA journal_mode = WAL")


def open_to_write(path: Path) -> sqlite3.Connection:
    """A connection to a ledger that is there; `ForgeError` if the file is not a usable one."""
    _recognise(path)
    connection = _connect(path, "rw")
    _check(connection, path)
    connection.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")
    return connection


def open_to_read(path: Path) -> sqlite3.Connection:
    """A connection that changes nothing, also where nothing can be changed."""
    _recognise(path)
    connection = _connect(path, "ro")
    try:
        _check(connection, path)
    except sqlite3.OperationalError as fault:
        if fault.sqlite_errorname.startswith("SQLITE_BUSY"):
            raise
        # In a folder that cannot be written SQLite cannot make its shared memory. Without a log
        # beside it nobody is writing, and the file can be read as it is.
        connection.close()
        if path.with_name(path.name + "-wal").exists():
            raise
        connection = _connect(path, "ro", immutable=True)
        _check(connection, path)
    return connection


def _connect(path: Path, mode: str, immutable: bool = False) -> sqlite3.Connection:
    uri = f"file:{quote(str(path.absolute()))}?mode={mode}" + ("&immutable=1" if immutable else "")
    return sqlite3.connect(
        uri, uri=True, isolation_level=None, timeout=PATIENCE, check_same_thread=False
    )


def _recognise(path: Path) -> None:
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER)
    except FileNotFoundError:
        raise faults.missing(path) from None
    except OSError as fault:
        raise faults.unreadable(path, fault) from fault
    if not header:
        raise faults.damaged(path, "it is empty")
    if not header.startswith(b"SQLite format 3\0"):
        raise faults.foreign(path, "it has no SQLite header")
    if len(header) < _HEADER:
        raise faults.damaged(path, f"of its header only {len(header)} bytes are there")


def _check(connection: sqlite3.Connection, path: Path) -> None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION_ID:
        raise faults.foreign(path, f"its application id is {application}, not {APPLICATION_ID}")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise faults.newer(path, version, VERSION)
    (run,) = connection.execute("SELECT value FROM meta WHERE key = 'run'").fetchone() or ("",)
    if run != path.parent.name:
        raise faults.misplaced(path, run)
    connection.execute("SELECT count(*) FROM lease").fetchone()
