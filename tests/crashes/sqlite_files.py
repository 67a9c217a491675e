"""The files of SQLite, watched: a virtual file system that asks before it does what the usual does.

It is made of the usual one, in the SQLite that this Python uses, by exchanging some entries of the
tables of functions that `sqlite3.h` declares (`sqlite3_vfs`, `sqlite3_io_methods`).
"""

import _sqlite3
import ctypes
import os
from collections.abc import Callable
from ctypes import CFUNCTYPE, c_int, c_int64, c_void_p, create_string_buffer
from typing import Any

Ask = Callable[[str, str, bytes, int], bool]
"""Kind, path, data and offset of what is about to be done; false if it must fail."""

_FULL, _IOERR_FSYNC, _IOERR_DELETE = 13, 1034, 2570
_CREATE, _SYNCED_NAME = 0x4, 0x80000 | 0x800 | 0x4000
"""Flags of opening: to be made; a log or journal, whose name its first sync makes durable."""

_WORDS = 21
_NAME, _OPEN, _DELETE = 3, 5, 6
_METHODS = 19
_CLOSE, _WRITE, _TRUNCATE, _SYNC = 1, 3, 4, 5

# Names are passed on as the pointers that they came as: SQLite keeps them, and reads behind them.
_Open = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, c_void_p)
_Delete = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int)
_Close = CFUNCTYPE(c_int, c_void_p)
_Write = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
_Truncate = CFUNCTYPE(c_int, c_void_p, c_int64)
_Sync = CFUNCTYPE(c_int, c_void_p, c_int)

_kept: list[Any] = []
"""What SQLite points to must live as long as the process."""


def watch(ask: Ask) -> None:
    """Ask before every change of a file that SQLite makes in this process from now on."""
    _kept.append(_Files(ask))


class _Files:
    """The usual file system, and the watched one that is registered in front of it."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._paths: dict[int, str] = {}
        self._unnamed: set[int] = set()
        self._tables: dict[int, Any] = {}
        library = ctypes.CDLL(_sqlite3.__file__)
        library.sqlite3_vfs_find.restype = c_void_p
        self._usual = library.sqlite3_vfs_find(None)
        words = (c_void_p * _WORDS).from_address(self._usual)
        self._open, self._delete = _Open(words[_OPEN] or 0), _Delete(words[_DELETE] or 0)
        self._own = (c_void_p * _WORDS)(*words)
        self._name = create_string_buffer(b"watched")
        self._functions = (_Open(self._watched_open), _Delete(self._watched_delete))
        self._own[_NAME] = ctypes.addressof(self._name)
        self._own[_OPEN], self._own[_DELETE] = (
            ctypes.cast(function, c_void_p).value for function in self._functions
        )
        library.sqlite3_vfs_register(ctypes.byref(self._own), 1)

    def _watched_open(self, _vfs: int, name: int | None, file: int, flags: int, out: int) -> int:
        path = os.fsdecode(ctypes.string_at(name)) if name else ""
        new = bool(path) and bool(flags & _CREATE) and not os.path.exists(path)
        if new and not self._ask("make", path, b"", 0):
            return _FULL
        status: int = self._open(self._usual, name, file, flags, out)
        if status == 0 and path:
            self._paths[file] = path
            if new and flags & _SYNCED_NAME:
                self._unnamed.add(file)
            methods = c_void_p.from_address(file)
            methods.value = ctypes.addressof(self._table(methods.value or 0))
        return status

    def _watched_delete(self, _vfs: int, name: int, sync: int) -> int:
        path = os.fsdecode(ctypes.string_at(name))
        if os.path.exists(path):
            if not self._ask("remove", path, b"", 0):
                return _IOERR_DELETE
            if sync:
                self._ask("sync_folder", os.path.dirname(path), b"", 0)
        status: int = self._delete(self._usual, name, sync)
        return status

    def _table(self, usual: int) -> Any:
        """The table of functions of an open file, some exchanged; made once for each usual one."""
        if usual not in self._tables:
            words = (c_void_p * _METHODS).from_address(usual)
            close, write = _Close(words[_CLOSE] or 0), _Write(words[_WRITE] or 0)
            truncate, sync = _Truncate(words[_TRUNCATE] or 0), _Sync(words[_SYNC] or 0)

            def watched_close(file: int) -> int:
                self._paths.pop(file, None)
                self._unnamed.discard(file)
                return int(close(file))

            def watched_write(file: int, data: int, size: int, offset: int) -> int:
                content = ctypes.string_at(data, size)
                if not self._ask("write", self._paths[file], content, offset):
                    return _FULL
                return int(write(file, data, size, offset))

            def watched_truncate(file: int, size: int) -> int:
                if not self._ask("truncate", self._paths[file], b"", size):
                    return _FULL
                return int(truncate(file, size))

            def watched_sync(file: int, flags: int) -> int:
                path = self._paths[file]
                if not self._ask("sync", path, b"", 0):
                    return _IOERR_FSYNC
                if file in self._unnamed:
                    self._unnamed.discard(file)
                    self._ask("sync_folder", os.path.dirname(path), b"", 0)
                return int(sync(file, flags))

            own = (c_void_p * _METHODS)(*words)
            functions = {
                _CLOSE: _Close(watched_close),
                _WRITE: _Write(watched_write),
                _TRUNCATE: _Truncate(watched_truncate),
                _SYNC: _Sync(watched_sync),
            }
            for place, function in functions.items():
                own[place] = ctypes.cast(function, c_void_p).value
            _kept.append(functions)
            self._tables[usual] = own
        return self._tables[usual]
