"""The process in which turns are made: it loads one file or plug-in and calls it turn by turn.

Turns and answers go over a channel of their own, so what a turn prints cannot get in between.
What the modules hold, lives as long as the worker; working folder and environment are put
back after each turn, and the processes that a turn leaves are ended with it. A worker that cannot
be put back (threads were left, a standard stream was closed) says that it is `spent`.
"""

import json
import locale
import os
import posix
import signal
import sys
from contextlib import suppress
from typing import Any

from forge_cli.gateway import tree
from forge_cli.gateway.farewell import see_off
from forge_cli.handlers.calling import Callee, FileCallee, answer
from forge_cli.handlers.frames import read_frame, write_frame

CHANNEL = 3
"""The descriptor that turns come and answers go by."""


class Stop(SystemExit):
    """TERM arrived: what the turn cleans up in a `finally` is cleaned up."""


class Worker:
    """Serves the channel with what is called. `grace` is in seconds."""

    def __init__(self, callee: Callee, workspace: str, grace: float) -> None:
        self._callee = callee
        self._workspace = workspace
        self._grace = grace
        self._process = os.getpid()
        self._environment = dict(posix.environ)
        self._streams = [identity(1), identity(2)]
        self._stopping = False

    def serve(self) -> None:
        """Answer each turn until the channel closes or TERM arrives."""
        tree.adopt_orphans()
        os.set_inheritable(CHANNEL, False)
        os.register_at_fork(after_in_child=close_channel)
        signal.signal(signal.SIGTERM, self._stop)
        while (message := read_frame(CHANNEL)) is not None:
            result = answer(self._callee, message)
            if os.getpid() != self._process:
                os._exit(0)  # a function forked, and this is the child that came back as well
            if self._stopping:
                return
            self._put_back()
            write_frame(CHANNEL, envelope(result, self._end_children(), self._spent()))

    def _stop(self, *_: object) -> None:
        self._stopping = True
        raise Stop(128 + signal.SIGTERM)

    def _put_back(self) -> None:
        for stream in (sys.stdout, sys.stderr):
            flush(stream)
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
        os.chdir(self._workspace)
        # The table below os.environ, compared without decoding each name and value: 15 us less.
        if posix.environ != self._environment:
            os.environb.clear()
            os.environb.update(self._environment)

    def _end_children(self) -> list[tree.Member]:
        # Orphans come to this process, so one call of a microsecond tells that nothing is left.
        try:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return []
        return see_off(self._grace)

    def _spent(self) -> bool:
        threading = sys.modules.get("threading")
        if threading is not None and threading.active_count() > 1:
            return True
        return [identity(1), identity(2)] != self._streams


def envelope(result: bytes, left: list[tree.Member], spent: bool) -> bytes:
    """The answer: the result, the processes that outlived KILL, and whether to go on with it."""
    rest = {"left": [[member.pid, member.name] for member in left], "spent": spent}
    if not left and not spent:
        return b'{"result":' + result + b"}"
    return b'{"result":' + result + b"," + json.dumps(rest).encode()[1:]


def identity(descriptor: int) -> tuple[int, int] | None:
    """What a descriptor stands for, or None where it is closed."""
    try:
        status = os.fstat(descriptor)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def flush(stream: Any) -> None:
    """Flush a stream that the function may have closed or replaced by anything."""
    try:
        stream.flush()
    except Exception:  # noqa: BLE001  what cannot be flushed was the function's to lose
        return


def close_channel() -> None:
    """A child that a function forks has no say in what is answered."""
    try:
        os.close(CHANNEL)
    except OSError:
        return


def serve(callee: Callee, workspace: str, grace: str) -> None:
    """Serve until forge closes the channel; `grace` is in seconds."""
    sys.dont_write_bytecode = True
    with suppress(locale.Error):
        locale.setlocale(locale.LC_CTYPE, "")  # by the environment that is this process's own
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(line_buffering=True)  # what was printed before a crash is kept
    Worker(callee, workspace, float(grace)).serve()


def main(file: str, workspace: str, grace: str) -> None:
    """Serve the functions of a file, which finds what lies beside it."""
    sys.path.insert(0, os.path.dirname(file))  # noqa: PTH120  the path is a text here
    serve(FileCallee(file), workspace, grace)
