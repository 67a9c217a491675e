"""One step down from an open folder that no link, `..` or mount of /proc leads out of.

Where the kernel has openat2(2) (Linux 5.6) it does the whole way in one call; elsewhere the way is
gone name by name.
"""

import ctypes
import errno
import os
import stat

LIBC = ctypes.CDLL(None, use_errno=True)
OPENAT2 = 437
"""The number of the call, the same on all architectures that Python runs on but Alpha."""

RESOLVE_NO_MAGICLINKS = 0x02
RESOLVE_NO_SYMLINKS = 0x04
RESOLVE_BENEATH = 0x08
RESOLVE = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
UNKNOWN_CALL = frozenset({errno.ENOSYS, errno.EPERM})
"""What an older kernel, or a filter that does not know the call, answers to it."""


class _How(ctypes.Structure):
    """`struct open_how` of linux/openat2.h."""

    _fields_ = (
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    )


def open_beneath(folder: int, path: str, flags: int) -> int:
    """A descriptor of what the path from the folder names, which was reached through no link.

    `flags` are those of open(2), without O_CREAT. `OSError` where the path leads elsewhere or
    nowhere, `ValueError` for a path that holds a NUL.
    """
    if WALKS:
        return walk(folder, path, flags)
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError("a path holds a NUL")
    how = _How(flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0, RESOLVE)
    size = ctypes.c_size_t(ctypes.sizeof(how))
    found: int = LIBC.syscall(OPENAT2, folder, ctypes.c_char_p(name), ctypes.byref(how), size)
    if found < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), path)
    return found


def walk(folder: int, path: str, flags: int) -> int:
    """The same name by name; `..` and a path from the root lead elsewhere here, too."""
    *folders, last = path.split("/")
    if ".." in (*folders, last) or path.startswith("/"):
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), path)
    descriptor = os.dup(folder)
    try:
        for name in folders:
            inner = _step(descriptor, name, FOLDER)
            os.close(descriptor)
            descriptor = inner
        return _step(descriptor, last, flags | os.O_NOFOLLOW | os.O_CLOEXEC)
    finally:
        os.close(descriptor)


def _step(folder: int, name: str, flags: int) -> int:
    try:
        return os.open(name, flags, dir_fd=folder)
    except NotADirectoryError:
        if stat.S_ISLNK(os.lstat(name, dir_fd=folder).st_mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name) from None
        raise


def _has_openat2() -> bool:
    how = _How(os.O_RDONLY | os.O_CLOEXEC, 0, RESOLVE)
    size = ctypes.c_size_t(ctypes.sizeof(how))
    with_no_folder = LIBC.syscall(OPENAT2, -1, ctypes.c_char_p(b"."), ctypes.byref(how), size)
    return with_no_folder < 0 and ctypes.get_errno() not in UNKNOWN_CALL


WALKS = not _has_openat2()
"""Whether the kernel leaves it to `walk`."""
