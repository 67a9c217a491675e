"""Files that are whole or not there: temporary name, fsync, rename, fsync of the folder."""

import errno
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from forge_cli.errors import ForgeError

UNFINISHED = ".unfinished-"
"""How the name of a file begins that was not finished; whoever finds one may remove it."""

_REASONS = {
    errno.ENOSPC: ("the disk is full", "free some space and run it again"),
    errno.EDQUOT: ("the disk quota is used up", "free some space and run it again"),
    errno.EROFS: ("the file system is read-only", "choose a place that can be written"),
    errno.EACCES: ("this user may not write there", "choose a place that can be written"),
    errno.EPERM: ("this user may not write there", "choose a place that can be written"),
    errno.ENOTDIR: ("a part of the path is a file", "move that file or choose another place"),
    errno.EEXIST: ("a part of the path is a file", "move that file or choose another place"),
    errno.EFBIG: ("a limit on file size is reached", "raise the limit (`ulimit -f`)"),
}


def write(path: Path, chunks: Iterable[bytes], sync_folder: bool = True) -> None:
    """Put the chunks into the file, replacing it at once; `ForgeError` if it cannot be done.

    Without `sync_folder` the caller sees to the folder (see `sync`) after its last file there.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=UNFINISHED, dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.writelines(chunks)
                file.flush()
                os.fchmod(file.fileno(), 0o644)
                os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        if sync_folder:
            sync(path.parent)
    except OSError as fault:
        raise unwritable(path, fault) from fault


def sync(folder: Path) -> None:
    """Make the names in the folder durable."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_all(folder: Path) -> None:
    """Make durable all that the file system of the folder holds; `ForgeError` if it cannot be done.

    Nobody says which files a program wrote, moved or removed: only all of them are enough.
    """
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            syncfs(handle)
        finally:
            os.close(handle)
    except OSError as fault:
        raise unwritable(folder, fault) from fault


def syncfs(handle: int) -> None:
    """What `syncfs` of Linux does, which Python does not offer."""
    import ctypes  # few runs need it

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syncfs(handle):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def make_folder(path: Path, mode: int = 0o777) -> None:
    """Make the folder and those above it, durably; `ForgeError` if it cannot be done.

    `mode` is that of the folder itself, less the umask, if it is not there.
    """
    try:
        missing = [folder for folder in (path, *path.parents) if not folder.exists()]
        path.mkdir(mode, parents=True, exist_ok=True)
        for folder in missing:
            sync(folder.parent)
    except OSError as fault:
        raise unwritable(path, fault) from fault


@contextmanager
def begun(path: Path) -> Iterator[Path]:
    """A new file to fill, which is at the path, durably, when the block ends without an error.

    `FileExistsError` if something is there by then. Of several that try at once one succeeds, and
    whoever is cut off leaves nothing at the path.
    """
    name = None
    try:
        handle, name = tempfile.mkstemp(prefix=UNFINISHED, dir=path.parent)
        with os.fdopen(handle, "rb") as file:
            yield Path(name)
            os.fchmod(file.fileno(), 0o644)
            os.fsync(file.fileno())
        os.link(name, path)
        sync(path.parent)
    except FileExistsError:
        raise
    except OSError as fault:
        raise unwritable(path, fault) from fault
    finally:
        if name is not None:
            Path(name).unlink(missing_ok=True)


def unwritable(path: Path, fault: OSError) -> ForgeError:
    """The sentence for a file that could not be written."""
    reason, mend = _REASONS.get(fault.errno or 0, (fault.strerror or str(fault), "look into it"))
    return ForgeError(f"'{path}' cannot be written: {reason}; {mend}")


def probe(folder: Path) -> OSError | None:
    """What stands in the way of writing to the folder now, if anything does.

    SQLite reports a full disk as an input-output error in places; a small file tells them apart.
    """
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"\0" * 65_536)
            file.flush()
            os.fsync(file.fileno())
    except OSError as fault:
        return fault
    return None
