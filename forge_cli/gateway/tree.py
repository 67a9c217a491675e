"""The processes below this one: found, told apart from strangers, signalled and reaped."""

import contextlib
import ctypes
import os
import signal
from collections import namedtuple

LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_NAME = 15
PR_SET_CHILD_SUBREAPER = 36

# A named tuple and no dataclass: this runs in the warden, which has to be up within milliseconds.
Member = namedtuple("Member", ("pid", "parent", "started", "name"))
"""One process: its parent's pid, its start in clock ticks since boot, its name."""


def adopt_orphans() -> None:
    """Make this process the one that the kernel gives the orphans below it to (prctl(2)).

    From then on no double fork and no setsid leads out of the tree, and waitpid(2) answers ECHILD
    exactly when nothing of the tree is left.
    """
    if LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "this kernel has no child subreaper")


def name_process(name: str) -> None:
    """What `ps` and `top` show for this process, at most 15 bytes."""
    LIBC.prctl(PR_SET_NAME, name.encode(), 0, 0, 0)


def reap() -> tuple[dict[int, int], bool]:
    """Collect the children that ended: exit codes by pid (a signal is negative), any left?"""
    ended: dict[int, int] = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended, False
        if not pid:
            return ended, True
        ended[pid] = os.waitstatus_to_exitcode(status)


def stopped() -> list[int]:
    """The children that were stopped, as by SIGSTOP, since this was asked last."""
    found: list[int] = []
    with contextlib.suppress(ChildProcessError):
        while news := os.waitid(os.P_ALL, 0, os.WSTOPPED | os.WNOHANG):
            found.append(news.si_pid)
    return found


def members(root: int) -> list[Member]:
    """Every living process below `root`, parents before their children."""
    below: dict[int, list[Member]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208  pathlib takes 10 ms to import
        if name.isdigit() and (member := look(int(name))):
            below.setdefault(member.parent, []).append(member)
    found = list(below.get(root, ()))
    for member in found:
        found.extend(below.get(member.pid, ()))
    return found


def look(pid: int) -> Member | None:
    """The process as /proc shows it now, or None where it has ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123  likewise
            text = file.read()
    except (FileNotFoundError, ProcessLookupError):
        return None
    name, _, rest = text.partition(b"(")[2].rpartition(b")")
    fields = rest.split()
    if fields[0] in b"ZX":
        return None
    return Member(pid, int(fields[1]), int(fields[19]), os.fsdecode(name))


def send(member: Member, number: int, root: int) -> None:
    """Signal the process unless its pid belongs to somebody else by now.

    The handle is opened first and what it stands for is looked at then, so the signal goes to the
    process that was seen (pid, start time, and a parent that is still its own or the adopting
    root) or, should that one have ended, to nobody.
    """
    try:
        handle = os.pidfd_open(member.pid)
    except ProcessLookupError:
        return
    try:
        seen = look(member.pid)
        if seen and seen.started == member.started and seen.parent in (member.parent, root):
            signal.pidfd_send_signal(handle, number)
    except (ProcessLookupError, PermissionError):
        pass  # it has ended, or became another user's: then it is named as a survivor
    finally:
        os.close(handle)
