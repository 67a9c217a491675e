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
    host, pid, started = (["", "", *holder.rsplit(":", 2)])[-3:]
    if host != socket.gethostname() or not (pid.isdigit() and started.isdigit()):
        return False
    return _started(int(pid)) != started


def _started(pid: int) -> str:
    """Field 22 of proc(5)'s stat; nothing for a process that has ended, or is only not reaped."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]
