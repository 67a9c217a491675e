"""A file of the workspace gets new content whole or not at all, and no other name of it does."""

import contextlib
import os
import secrets
import stat
from collections.abc import Callable
from pathlib import Path

from forge_cli.gateway.folders import FILE, made, opened, within

UNFINISHED = ".forge-written-"
"""How the name of a file begins until it is whole."""


class UnwritableError(Exception):
    """It is allowed and cannot be written; the text is a sentence."""


def replace(workspace: Path, path: str, data: bytes) -> None:
    """Make the file, and the folders above it, or replace what it holds; its mode stays.

    The new file takes the place of the old one at once. Raises `UnwritableError` where that is no
    regular file or has further names, `OSError` where the way leads through a link.
    """
    folder, _, name = path.rpartition("/")
    with made(workspace, folder) as parent:
        _put(parent, name, data, _looked_at(parent, name, path))


def edit(workspace: Path, path: str, change: Callable[[bytes], bytes], largest: int) -> None:
    """Replace what the file holds by what `change` makes of it, at most `largest` bytes.

    Raises what `replace` and `change` do, and `UnwritableError` where somebody else changed the
    file meanwhile.
    """
    with os.fdopen(opened(workspace, path, FILE), "rb") as file:
        read = os.fstat(file.fileno())
        if not stat.S_ISREG(read.st_mode) or read.st_size > largest:
            raise UnwritableError(f"{path!r} is no regular file of at most {largest} bytes")
        data = change(file.read(largest))
    if len(data) > largest:
        raise UnwritableError(f"{path!r} would have {len(data)} bytes, at most {largest} may be")
    with within(workspace, path) as (parent, name):
        found = _looked_at(parent, name, path)
        if found is None or _state(found) != _state(read):
            raise UnwritableError(f"{path!r} was changed by somebody else meanwhile; read it again")
        _put(parent, name, data, found)


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


def _put(parent: int, name: str, data: bytes, before: os.stat_result | None) -> None:
    new = UNFINISHED + secrets.token_hex(8)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(new, flags, 0o666, dir_fd=parent), "wb") as file:
            file.write(data)
            file.flush()
            if before is not None:
                os.fchmod(file.fileno(), stat.S_IMODE(before.st_mode))
            os.fsync(file.fileno())
        os.rename(new, name, src_dir_fd=parent, dst_dir_fd=parent)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(new, dir_fd=parent)
        raise


def _state(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
