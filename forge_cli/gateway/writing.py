"""A file of the workspace gets new content whole or not at all, and no other name of it does."""

import contextlib
import fcntl
import os
import secrets
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from forge_cli.gateway.beneath import open_beneath
from forge_cli.gateway.folders import FILE, made, reading, within

UNFINISHED = ".forge-written-"
"""How the name of a file begins until it is whole."""


class UnwritableError(Exception):
    """It is allowed and cannot be written; the text is a sentence."""


_LOCKS = tuple(threading.Lock() for _ in range(64))
"""What changes files of one folder in this process does so one after the other."""


def replace(workspace: Path, path: str, data: bytes) -> None:
    """Make the file, and the folders above it, or replace what it holds; its mode stays.

    The new file takes the place of the old one at once, durably. Raises `UnwritableError` where
    that is no regular file or has further names, `OSError` where the way leads through a link.
    """
    folder, _, name = path.rpartition("/")
    with made(workspace, folder) as parent, _alone(parent):
        _put(parent, name, data, lambda: _looked_at(parent, name, path))


def edit(workspace: Path, path: str, change: Callable[[bytes], bytes], largest: int) -> None:
    """Replace what the file holds by what `change` makes of it, at most `largest` bytes.

    Of several edits in this process at once each is made of what the one before left. Raises what
    `replace` and `change` do, and `UnwritableError` where somebody else changed the file meanwhile.
    """
    with within(workspace, path) as (parent, name), _alone(parent):
        with reading(open_beneath(parent, name, FILE)) as file:
            read = os.fstat(file.fileno())
            if not stat.S_ISREG(read.st_mode) or read.st_size > largest:
                raise UnwritableError(f"{path!r} is no regular file of at most {largest} bytes")
            data = change(file.read(largest))
        if len(data) > largest:
            raise UnwritableError(
                f"{path!r} would have {len(data)} bytes, at most {largest} may be"
            )
        _put(parent, name, data, lambda: _unchanged(parent, name, path, read))


@contextlib.contextmanager
def _alone(parent: int) -> Iterator[None]:
    """Nothing else in this process changes a file of the folder until the block ends."""
    status = os.fstat(parent)
    with _LOCKS[hash((status.st_dev, status.st_ino)) % len(_LOCKS)]:
        yield


def _unchanged(parent: int, name: str, path: str, read: os.stat_result) -> os.stat_result:
    """What has that name in the folder; refused unless it still is what was read."""
    found = _looked_at(parent, name, path)
    if found is None or _state(found) != _state(read):
        raise UnwritableError(f"{path!r} was changed by somebody else meanwhile; read it again")
    return found


def _looked_at(parent: int, name: str, path: str) -> os.stat_result | None:
    """What has that name in the folder, or None; refused if it is not a file of one name."""
    try:
        status = os.lstat(name, dir_fd=parent)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise UnwritableError(f"{path!r} is no regular file")
    if status.st_nlink > 1:
        raise UnwritableError(
            f"{path!r} is a hard link: {status.st_nlink - 1} other names hold the same file"
        )
    if name not in os.listdir(parent):
        raise UnwritableError(f"{path!r} is written otherwise here; names are told by each letter")
    return status


def _put(parent: int, name: str, data: bytes, look: Callable[[], os.stat_result | None]) -> None:
    """Write beside it, and put that in its place if a last look finds nothing against it."""
    before = look()
    _tidy(parent)
    new = UNFINISHED + secrets.token_hex(8)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(new, flags, 0o666, dir_fd=parent), "wb") as file:
            # Held until it is renamed, so that what nobody holds was left by one that was killed.
            with contextlib.suppress(OSError):  # not every file system has locks
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            file.write(data)
            file.flush()
            if before is not None:
                os.fchmod(file.fileno(), stat.S_IMODE(before.st_mode))
            os.fsync(file.fileno())
            look()
            os.rename(new, name, src_dir_fd=parent, dst_dir_fd=parent)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(new, dir_fd=parent)
        raise
    os.fsync(parent)


def _tidy(parent: int) -> None:
    """Remove what of the folder was being written by somebody who was killed."""
    for name in os.listdir(parent):
        if name.startswith(UNFINISHED):
            with contextlib.suppress(OSError), reading(open_beneath(parent, name, FILE)) as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(name, dir_fd=parent)


def _state(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
