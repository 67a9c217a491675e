"""The process in which turns are made: it loads one file or plug-in and calls it turn by turn.

Turns and answers go over a channel of their own, so what a turn prints cannot get in between.
What the modules hold, lives as long as the worker; working folder and environment are put
back after each turn, and the processes that a turn leaves are ended with it. A worker that cannot
be put back (threads were left, a standard stream was closed) says that it is spent.
"""

import _signal  # type: ignore[import-not-found]  # there are no stubs of it
import json
import locale
import os
import posix
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from forge_cli.gateway import tree
from forge_cli.gateway.farewell import see_off
from forge_cli.handlers.calling import Callee, FileCallee, answer
from forge_cli.handlers.frames import EAGER, HELD, SPENT, STALE, frames, unread, write_frame

CHANNEL = 3
"""The descriptor that turns come and answers go by."""

TICKETS = 4
"""The descriptor of the tickets, which a turn is taken with."""

QUICK = 300_000
"""Nanoseconds that a turn takes at most which others may wait for."""

FIRST_QUICK = 50_000_000
"""The same for the first turn, in which what is called is loaded."""

TIMERS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
SIGNALS = tuple(range(1, signal.NSIG))


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
        self._signals = reactions()
        self._umask = 0
        self._stopping = False
        self._remark = EAGER
        self._quick = FIRST_QUICK

    def serve(self) -> None:
        """Answer each turn until the channel closes or TERM arrives."""
        tree.adopt_orphans()
        for descriptor in (CHANNEL, TICKETS):
            os.set_inheritable(descriptor, False)
        os.register_at_fork(after_in_child=close_channel)
        signal.signal(signal.SIGTERM, self._stop)
        self._signals = reactions()
        self._umask = os.umask(0o077)
        os.umask(self._umask)
        for ticket, turn in self._taken():
            started = time.perf_counter_ns()
            result = answer(self._callee, turn)
            if os.getpid() != self._process:
                os._exit(0)  # a function forked, and this is the child that came back as well
            if self._stopping:
                return
            self._put_back()
            left = self._end_children()
            self._remark = self._remarked(started)
            write_frame(CHANNEL, ticket + self._remark + envelope(result, left))

    def _taken(self) -> Iterator[tuple[bytes, bytes]]:
        """The tickets and turns that are for this worker to make, one after the other."""
        ticket = b""
        for message in frames(CHANNEL):
            if self._remark != EAGER and message[1:2] == STALE:
                continue
            ticket = ticket or os.read(TICKETS, 1)
            if ticket == message[:1]:  # else it was withdrawn
                ticket = b""
                yield message[:1], message[2:]

    def _remarked(self, started: int) -> bytes:
        """Whether to go on with this worker, and whether with what it was asked already."""
        if self._spent():
            return SPENT
        slow = time.perf_counter_ns() - started > self._quick
        self._quick = QUICK
        # What was printed and not read yet belongs to the turn that ends.
        return HELD if slow or unread(1) or unread(2) else EAGER

    def _stop(self, *_: object) -> None:
        self._stopping = True
        raise Stop(128 + signal.SIGTERM)

    def _put_back(self) -> None:
        for stream in (sys.stdout, sys.stderr):
            flush(stream)
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
        os.chdir(self._workspace)
        os.umask(self._umask)
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
        if reactions() != self._signals:
            return True  # what a signal or a timer would do now is the turn's that has ended
        return [identity(1), identity(2)] != self._streams


def envelope(result: bytes, left: list[tree.Member]) -> bytes:
    """The answer: the result, and the processes that outlived KILL."""
    if not left:
        return b'{"result":' + result + b"}"
    rest = {"left": [[member.pid, member.name] for member in left]}
    return b'{"result":' + result + b"," + json.dumps(rest).encode()[1:]


def reactions() -> tuple[object, ...]:
    """What signals lead to here, which of them are blocked, and the timers that are set."""
    # The functions below those of the module `signal`, which look up names: a fifth of the cost.
    handlers = tuple(map(_signal.getsignal, SIGNALS))
    blocked = _signal.pthread_sigmask(signal.SIG_BLOCK, ())
    return handlers, blocked, tuple(map(_signal.getitimer, TIMERS))


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
    """A child that a function forks has no say in what is taken and answered."""
    for descriptor in (CHANNEL, TICKETS):
        with suppress(OSError):
            os.close(descriptor)


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
