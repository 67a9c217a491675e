"""What is done to files, one operation at a time, beneath SQLite and beneath Python's own writing.

Where a process is watched, a listener is asked before each operation on a file below the folders it
cares for. It may end the process, or say no: then the operation fails as on a disk that is full.
"""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from forge_cli.ledger import durable
from tests.crashes import sqlite_files


class Operation(NamedTuple):
    """One change of the disk; `path` and `other` are absolute.

    `make`, `make_folder`, `remove` and `rename` (to `other`) and `link` (as `other`) change names,
    `write` puts `data` at `offset`, `truncate` cuts at `offset`, `sync` makes a file's content
    durable and `sync_folder` a folder's names; `sync_all` makes durable all that there is, and
    `put_back` what a restore has made of the workspace. `acknowledged` is none: from there on so
    many (`offset`) events are promised.
    """

    kind: str
    path: str
    data: bytes = b""
    offset: int = 0
    other: str = ""


Listener = Callable[[Operation], bool]
"""Told of an operation before it is done; false if it must fail."""


def watch(listener: Listener) -> None:
    """Ask the listener from now on, in this process, of everything that SQLite or `os` does."""
    sqlite_files.watch(lambda *operation: listener(Operation(*operation)))
    _Calls(listener).watch()


class _Calls:
    """The functions of `os` that change files, as they were."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._open = os.open
        self._fsync = os.fsync

    def watch(self) -> None:
        """Put watched ones in their place."""
        patched: dict[str, Any] = {
            "open": self._watched_open,
            "fsync": self._watched_fsync,
            "replace": self._watched("rename", os.replace),
            "link": self._watched("link", os.link),
            "unlink": self._watched("remove", os.unlink),
            "rmdir": self._watched("remove", os.rmdir),
            "mkdir": self._watched("make_folder", os.mkdir),
        }
        for name, function in patched.items():
            setattr(os, name, function)
        durable.syncfs = self._watched_syncfs(durable.syncfs)  # type: ignore[assignment]

    def _watched(self, kind: str, function: Callable[..., None]) -> Callable[..., None]:
        def call(path: Any, *others: Any, **options: Any) -> None:
            other = _absolute(others[0]) if kind in ("rename", "link") else ""
            if _can(kind, _absolute(path)):
                self._ask(Operation(kind, _absolute(path), other=other))
            function(path, *others, **options)

        return call

    def _watched_open(self, path: Any, flags: int, *others: Any, **options: Any) -> int:
        if flags & os.O_CREAT and not os.path.lexists(path):
            self._ask(Operation("make", _absolute(path)))
        return self._open(path, flags, *others, **options)

    def _watched_fsync(self, file: int) -> None:
        here = f"/proc/self/fd/{file}"
        path = os.readlink(here)
        if os.path.isdir(path):
            self._ask(Operation("sync_folder", path))
        else:
            # Python hands on what was written in its own time: all of it is in the file by now.
            self._ask(Operation("write", path, Path(here).read_bytes()))
            self._ask(Operation("sync", path))
        self._fsync(file)

    def _watched_syncfs(self, function: Callable[[int], None]) -> Callable[[int], None]:
        def call(file: int) -> None:
            self._ask(Operation("sync_all", os.readlink(f"/proc/self/fd/{file}")))
            function(file)

        return call

    def _ask(self, operation: Operation) -> None:
        if not self._listener(operation):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), operation.path)


def _can(kind: str, path: str) -> bool:
    """Whether the operation changes anything: what cannot be done is left to `os` to say."""
    if kind == "make_folder":
        return os.path.isdir(os.path.dirname(path)) and not os.path.lexists(path)
    return os.path.lexists(path)


def _absolute(path: str | os.PathLike[str]) -> str:
    return os.path.abspath(path)
