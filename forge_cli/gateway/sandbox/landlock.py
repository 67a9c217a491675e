"""The level `landlock`: the kernel lets a process reach what is listed, and nothing else.

The calls are those of landlock(7); numbers and bits are of linux/landlock.h.
"""

import ctypes
import os
from typing import Literal

from forge_cli.gateway.beneath import LIBC, open_beneath

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
GIVE_VERSION = 1
PATH_BENEATH, NET_PORT = 1, 2
PR_SET_NO_NEW_PRIVS = 38
PR_CAPBSET_DROP = 24
PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 47, 4

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
REMOVE_DIR, REMOVE_FILE, MAKE_CHAR, MAKE_DIR = 1 << 4, 1 << 5, 1 << 6, 1 << 7
MAKE_REG, MAKE_SOCK, MAKE_FIFO, MAKE_BLOCK = 1 << 8, 1 << 9, 1 << 10, 1 << 11
MAKE_SYM, REFER, TRUNCATE, IOCTL_DEV = 1 << 12, 1 << 13, 1 << 14, 1 << 15
TCP = 1 << 0 | 1 << 1
SOCKETS_AND_SIGNALS = 1 << 0 | 1 << 1

READ = EXECUTE | READ_FILE | READ_DIR
WRITE = (
    READ
    | WRITE_FILE
    | REMOVE_DIR
    | REMOVE_FILE
    | MAKE_DIR
    | MAKE_REG
    | MAKE_SOCK
    | MAKE_FIFO
    | MAKE_SYM
    | REFER
    | TRUNCATE
)
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
"""Of these a rule for something that is no folder may consist."""

NEEDED = 3
"""The version from which on it holds what is promised: earlier ones let files be cut."""

Access = Literal["list", "read", "write", "device"]
ACCESS = {"list": READ_DIR, "read": READ, "write": WRITE, "device": READ_FILE | WRITE_FILE}

O_PATH = os.O_PATH | os.O_CLOEXEC


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("files", ctypes.c_uint64),
        ("network", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def version() -> int:
    """The version of Landlock that the kernel has; 0 where it has none."""
    found: int = LIBC.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), GIVE_VERSION)
    return max(found, 0)


class Ruleset:
    """What this process and all that it starts may reach from `enter` on."""

    def __init__(self, network: bool) -> None:
        """Without `network` no TCP port is bound or connected to, from version 4 on."""
        self._version = version()
        self._files = 2 * self._newest_right() - 1
        own = _Ruleset(self._files, 0 if network or self._version < 4 else TCP, 0)
        if self._version >= 6:
            own.scoped = SOCKETS_AND_SIGNALS
        # Earlier kernels know a shorter structure, and refuse a longer one unless the rest is zero.
        self._descriptor = _called(
            CREATE_RULESET, ctypes.byref(own), ctypes.c_size_t(ctypes.sizeof(own)), 0
        )

    def allow(self, path: str, access: Access, below: int | None = None) -> None:
        """Allow it for a file or folder, all below included; what is not there is passed over.

        With `below`, the path is one from that open folder, and leads through no link.
        """
        try:
            if below is None:
                place = os.open(path, O_PATH)
            else:
                place = open_beneath(below, path or ".", O_PATH)
        except OSError:
            return
        try:
            self._allow(place, ACCESS[access] & self._files)
        finally:
            os.close(place)

    def enter(self) -> None:
        """Hold this process to it, for good, and let it have no privileges, also as root.

        With some of them it could look into processes that it may not trace.
        """
        LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        _called(RESTRICT_SELF, self._descriptor, 0)
        os.close(self._descriptor)
        _drop_capabilities()

    def _allow(self, place: int, access: int) -> None:
        if not os.path.isdir(f"/proc/self/fd/{place}"):
            access &= OF_FILES
        rule = _Beneath(access, place)
        _called(ADD_RULE, self._descriptor, PATH_BENEATH, ctypes.byref(rule), 0)

    def _newest_right(self) -> int:
        """The highest right that this version knows."""
        if self._version >= 5:
            return IOCTL_DEV
        return {1: MAKE_SYM, 2: REFER}.get(self._version, TRUNCATE)


def _drop_capabilities() -> None:
    """Give up all capabilities; without the bound on them, which only root can lower, none returns.

    The structures are those of capget(2): version 3, this process, and two times three sets.
    """
    number = 0
    while LIBC.prctl(PR_CAPBSET_DROP, number, 0, 0, 0) == 0:
        number += 1
    LIBC.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    nothing = (ctypes.c_uint32 * 6)()
    if LIBC.capset(header, nothing):
        code = ctypes.get_errno()
        raise OSError(code, f"capabilities cannot be given up: {os.strerror(code)}")


def _called(number: int, *arguments: object) -> int:
    found: int = LIBC.syscall(number, *arguments)
    if found < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"Landlock: {os.strerror(code)}")
    return found
