"""The one way to a path of the workspace: from its open folder down, and never through a link.

What was looked at is so what is opened, whoever changes the workspace meanwhile.
"""

import contextlib
import errno
import os
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path

from forge_cli.gateway.beneath import FOLDER, open_beneath

FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
GONE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
"""What opening says of something that is no longer what it was when its folder was read."""

MOST = 20_000
"""Entries below a folder that are looked at."""


def names_of(path: str) -> list[str] | None:
    """The names along a path from the workspace, none for itself; None for what is no such path."""
    if path in ("", "."):
        return []
    names = path.split("/")
    return None if any(each in ("", ".", "..") or "\0" in each for each in names) else names


def opened(workspace: Path, path: str, flags: int = FOLDER) -> int:
    """A descriptor of the folder, or with the flags of a file of that.

    `OSError` where the path leads through a link or is something else.
    """
    descriptor = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    if not path:
        return descriptor
    try:
        return open_beneath(descriptor, path, flags)
    finally:
        os.close(descriptor)


def listed(workspace: Path, path: str, links: bool) -> list[tuple[str, bool]]:
    """What is in a folder by name, and which of it are folders themselves; links only if wanted.

    `OSError` where the path leads through a link or is no folder.
    """
    folder = opened(workspace, path)
    try:
        with os.scandir(folder) as entries:
            return sorted(
                (entry.name, entry.is_dir(follow_symlinks=False))
                for entry in entries
                if links or not entry.is_symlink()
            )
    finally:
        os.close(folder)


@contextlib.contextmanager
def scanned(workspace: Path, path: str) -> Iterator[Iterator[os.DirEntry[str]]]:
    """What is in a folder, while this is entered; nothing where it was there a moment ago."""
    try:
        folder = opened(workspace, path)
    except OSError as fault:
        if fault.errno not in GONE:
            raise
        yield iter(())
        return
    try:
        with os.scandir(folder) as entries:
            yield entries
    finally:
        os.close(folder)


def reading(descriptor: int) -> BufferedReader:
    """The file that a descriptor is of, which is closed with it; `OSError` if that is a folder."""
    try:
        return os.fdopen(descriptor, "rb")
    except OSError:
        os.close(descriptor)  # of a folder it is left open
        raise


@contextlib.contextmanager
def within(workspace: Path, path: str) -> Iterator[tuple[int, str]]:
    """The folder that a path lies in, as a descriptor, and the path's name in it."""
    folder, _, name = path.rpartition("/")
    descriptor = opened(workspace, folder)
    try:
        yield descriptor, name
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def made(workspace: Path, path: str) -> Iterator[int]:
    """A descriptor of the folder, which is made where it is missing, with those above it.

    What is made is durable.
    """
    descriptor = opened(workspace, "")
    try:
        for name in path.split("/") if path else ():
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, dir_fd=descriptor)
                os.fsync(descriptor)
            inner = open_beneath(descriptor, name, FOLDER)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)
