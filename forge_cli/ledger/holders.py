"""Who holds a lease, as a text that tells whether its process is still there."""

import os
import socket
from pathlib import Path


def here() -> str:
    """This process: host, pid and start (clock ticks since boot), joined by colons.

    The start tells it apart from a later process that was given the same pid.
    """
    pid = os.getpid()
    return f"{socket.gethostname()}:{pid}:{_started(pid)}"


def named(holder: str) -> str:
    """The holder in words, where it is a process."""
    host, pid, _ = (["", "", *holder.rsplit(":", 2)])[-3:]
    return f"process {pid} on {host}" if host and pid.isdigit() else holder


def is_gone(holder: str) -> bool:
    """Whether the process was on this host and has ended; false where that cannot be known."""
    here = _here(holder)
    return here is not None and _started(here[0]) != here[1]


def is_at_work(holder: str) -> bool:
    """Whether the process is on this host and neither ended nor halted (SIGSTOP, a debugger)."""
    here = _here(holder)
    return here is not None and _started(here[0]) == here[1] and _stat(here[0])[0] not in "Tt"


def _here(holder: str) -> tuple[int, str] | None:
    """Pid and start of a holder that is a process of this host."""
    host, pid, started = (["", "", *holder.rsplit(":", 2)])[-3:]
    if host != socket.gethostname() or not (pid.isdigit() and started.isdigit()):
        return None
    return int(pid), started


def _started(pid: int) -> str:
    """Nothing for a process that has ended, or is only not reaped."""
    fields = _stat(pid)
    return "" if fields[0] in "ZX" else fields[19]


def _stat(pid: int) -> list[str]:
    """What proc(5)'s stat says of a process, from field 3 on; the state `X` if it is not there."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return ["X"]
