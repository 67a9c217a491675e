"""Putting paths of the workspace back as they were: whole files, and no link is ever followed."""

import contextlib
import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from forge_cli.gateway.folders import FILE, GONE, opened, reading, within
from forge_cli.gateway.survey import Found, change_mode

UNFINISHED = ".forge-restored-"
"""How the name of a file begins until it is whole; the next attempt at it uses the same name."""

SAME = "same"
ENTER = stat.S_IRWXU

Read = Callable[[Sequence[Sequence[int]]], Iterator[bytes]]


class PuttingBack:
    """One restore: `then` says what was there, `read` gives contents by their parts.

    `changed` are the paths that were not as they had been; `faults` has a sentence for each that
    could not be put back.
    """

    def __init__(self, workspace: Path, then: Mapping[str, Any], read: Read) -> None:
        self.changed: set[str] = set()
        self.faults: dict[str, str] = {}
        self._workspace = workspace
        self._then = then
        self._read = read
        self._now: dict[str, str] = {}
        self._modes: dict[str, int] = {}
        self._emptied: set[str] = set()

    def all(self, found: Iterable[Found]) -> None:
        """Take away what was not there, make again what is gone, replace what was changed."""
        try:
            for each in found:
                self._look(each)
        except OSError as fault:
            self._blame(os.fsdecode(fault.filename or ""), fault)
            return
        for path in sorted(self._now, key=_depth, reverse=True):
            self._tried(self._remove, path)
        for path in sorted(self._then, key=_depth):
            self._tried(self._make, path)
        for path in sorted(self._then, key=_depth, reverse=True):
            self._tried(self._close_up, path)
        for folder in {path.rpartition("/")[0] for path in self.changed}:
            self._tried(self._sync, folder)

    def _tried(self, step: Callable[[str], None], path: str) -> None:
        try:
            step(path)
        except OSError as fault:
            self._blame(path, fault)

    def _blame(self, path: str, fault: OSError) -> None:
        reason = fault.strerror
        if fault.errno in {*GONE, errno.EEXIST}:
            reason = "a folder that it was in is something else now"
        self.faults.setdefault(path, f"{path!r} cannot be put back: {reason}")

    def _look(self, found: Found) -> None:
        """Note what is there; a folder that lets nobody in is opened before it is entered."""
        mode = stat.S_IMODE(found.status.st_mode)
        then = self._then.get(found.path, ("",))
        self._now[found.path] = found.kind if found.allowed else "way"
        if found.kind == "folder":
            self._modes[found.path] = mode
            if found.allowed and mode & ENTER != ENTER:
                change_mode(self._workspace, found.path, mode | ENTER)
        elif then[0] == found.kind and _is_as_it_was(found, mode, then):
            self._now[found.path] = SAME

    def _remove(self, path: str) -> None:
        """Take away what was not there, or was something of another kind."""
        now, then = self._now[path], self._then.get(path, ("",))[0]
        if now in (SAME, then) or (now == "way" and path not in self._emptied):
            return
        with within(self._workspace, path) as (parent, name):
            if path not in self._modes:
                os.unlink(name, dir_fd=parent)
            elif not self._is_removed(name, parent, then):
                return
        self._now[path] = ""
        self.changed.add(path)
        self._emptied.add(path.rpartition("/")[0])

    def _is_removed(self, name: str, parent: int, then: str) -> bool:
        try:
            os.rmdir(name, dir_fd=parent)
        except OSError as fault:
            # What it holds beyond the scopes is nobody's to take away.
            if fault.errno == errno.ENOTEMPTY and not then:
                return False
            raise
        return True

    def _make(self, path: str) -> None:
        kind, mode, *rest = self._then[path]
        now = self._now.get(path)
        if kind == "way" or now == SAME or kind == now == "folder":
            return
        if kind == "other":
            self.faults[path] = f"{path!r} was a pipe, socket or device, and is gone"
            return
        self._make_way(path)
        with within(self._workspace, path) as (parent, name):
            if kind == "folder":
                os.mkdir(name, ENTER, dir_fd=parent)
                self._modes[path] = ENTER
            else:
                self._replace(parent, name, kind, mode, rest)
        self._now[path] = SAME
        self.changed.add(path)

    def _make_way(self, path: str) -> None:
        """Make the folders above that are gone and are not below the scopes themselves."""
        for folder in reversed(_above(path)):
            if not self._now.get(folder) and self._then[folder][0] == "way":
                with within(self._workspace, folder) as (parent, name):
                    os.mkdir(name, self._then[folder][1], dir_fd=parent)
                self._now[folder] = "way"
                self.changed.add(folder)

    def _replace(self, parent: int, name: str, kind: str, mode: int, rest: Sequence[Any]) -> None:
        """Make a file or link under another name and then give it its own, at once.

        A file is never written in place: it may have another name elsewhere.
        """
        new = UNFINISHED + hashlib.sha256(os.fsencode(name)).hexdigest()[:16]
        with contextlib.suppress(FileNotFoundError):
            os.unlink(new, dir_fd=parent)
        if kind == "link":
            os.symlink(rest[0], new, dir_fd=parent)
        else:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            with os.fdopen(os.open(new, flags, 0o600, dir_fd=parent), "wb") as file:
                file.writelines(self._read(rest[1]))
                file.flush()
                os.fchmod(file.fileno(), mode)
                os.fsync(file.fileno())
        os.rename(new, name, src_dir_fd=parent, dst_dir_fd=parent)

    def _close_up(self, path: str) -> None:
        """Give a folder the mode that it had."""
        kind, mode, *_ = self._then[path]
        if kind != "folder" or path not in self._modes:
            return
        if self._modes[path] != mode:
            self.changed.add(path)
        if self._modes[path] != mode or mode & ENTER != ENTER:
            change_mode(self._workspace, path, mode)

    def _sync(self, folder: str) -> None:
        try:
            descriptor = opened(self._workspace, folder)
        except FileNotFoundError:
            return  # it was taken away itself
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _is_as_it_was(found: Found, mode: int, then: Sequence[Any]) -> bool:
    if found.kind == "other":
        return True
    if found.kind == "link":
        return bool(os.readlink(found.name, dir_fd=found.parent) == then[2])
    if mode != then[1] or found.status.st_size != sum(part[2] for part in then[3]):
        return False
    try:
        descriptor = os.open(found.name, FILE, dir_fd=found.parent)
    except PermissionError:
        return False
    with reading(descriptor) as file:
        return bool(hashlib.file_digest(file, "sha256").hexdigest() == then[2])


def _depth(path: str) -> tuple[int, str]:
    return path.count("/"), path


def _above(path: str) -> list[str]:
    """The folders that a path is in, the nearest first."""
    names = path.split("/")[:-1]
    return ["/".join(names[:depth]) for depth in range(len(names), 0, -1)]
