"""Sentences for what SQLite reports when a ledger cannot be used."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from forge_cli.errors import ForgeError
from forge_cli.ledger import durable


@contextmanager
def sentences(path: Path) -> Iterator[None]:
    """Turn SQLite's faults at the ledger into `ForgeError`s."""
    try:
        yield
    except sqlite3.Error as fault:
        raise explain(fault, path) from fault


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn SQLite's faults, and rows that are no events, into `ForgeError`s."""
    try:
        with sentences(path):
            yield
    except (TypeError, ValueError, OverflowError) as fault:
        # SQLite hands out what stands in a page that was torn or overwritten, whatever it is.
        raise damaged(path, f"what stands in it is no event ({fault})") from fault


def explain(fault: sqlite3.Error, path: Path) -> ForgeError:
    """The sentence for a fault at the ledger; a full disk is never taken for damage."""
    name = getattr(fault, "sqlite_errorname", "")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return ForgeError(
            f"ledger '{path}' is locked by another process; wait until it is done, or end it"
        )
    if name.startswith(("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_READONLY", "SQLITE_CANTOPEN")):
        return _unusable(fault, path)
    if name.startswith("SQLITE_NOTADB"):
        return foreign(path, "it has no SQLite header")
    if name.startswith("SQLITE_CORRUPT"):
        return damaged(path, "its pages are not whole: it is truncated or was overwritten")
    return damaged(path, str(fault))


def damaged(path: Path, reason: str) -> ForgeError:
    """The sentence for a ledger whose content cannot be trusted."""
    return ForgeError(f"ledger '{path}' is damaged: {reason}; restore the file, or start a new run")


def foreign(path: Path, reason: str) -> ForgeError:
    """The sentence for a file that forge did not write."""
    return ForgeError(f"'{path}' is not a ledger of forge: {reason}; name the folder of a run")


def newer(path: Path, found: int, known: int) -> ForgeError:
    """The sentence for a ledger of a later forge."""
    return ForgeError(
        f"ledger '{path}' has version {found}, and this forge knows versions up to {known}; "
        "use the forge that wrote it, or a later one"
    )


def misplaced(path: Path, run: str) -> ForgeError:
    """The sentence for a ledger that lies in the folder of another run."""
    return ForgeError(
        f"ledger '{path}' is that of run '{run}', and lies in the folder of run "
        f"'{path.parent.name}'; put it back to its own"
    )


def missing(path: Path) -> ForgeError:
    """The sentence for a ledger that is not there."""
    return ForgeError(f"there is no ledger at '{path}'; `forge runs` lists the runs that are here")


def identity(path: Path) -> tuple[int, int] | None:
    """Which file is at the path, as device and inode; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def removed(path: Path) -> ForgeError:
    """The sentence for a ledger that was taken away from under its writer."""
    return ForgeError(
        f"ledger '{path}' was removed or replaced while the run was going on, so the run is not "
        "kept; see which handler deletes or moves '.forge', and run it again"
    )


def unreadable(path: Path, fault: OSError) -> ForgeError:
    """The sentence for a ledger that the system does not let forge read."""
    return ForgeError(
        f"ledger '{path}' cannot be read: {fault.strerror or fault}; "
        "see that it is a file and that this user may read it"
    )


def _unusable(fault: sqlite3.Error, path: Path) -> ForgeError:
    if not path.parent.is_dir():
        return ForgeError(f"'{path}' cannot be written: there is no folder '{path.parent}'")
    obstacle = durable.probe(path.parent)
    if obstacle is not None:
        return durable.unwritable(path, obstacle)
    if getattr(fault, "sqlite_errorname", "") == "SQLITE_FULL":
        return ForgeError(
            f"'{path}' cannot be written: the disk is full; free some space and run it again"
        )
    return ForgeError(
        f"ledger '{path}' cannot be used: {fault}; see that this user may read and write it"
    )
