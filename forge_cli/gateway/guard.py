"""The small process that starts one program, adopts its orphans, and sees its whole tree off."""

import contextlib
import errno
import fcntl
import json
import os
import select
import signal
import socket
from typing import Any

from forge_cli.gateway import forked, tree
from forge_cli.gateway.farewell import Farewell

RESET = {
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGPIPE,
    signal.SIGTERM,
    signal.SIGXFSZ,
}
"""Signals that a program starts with at their default, whatever forge's own parent ignored."""

OUT_OF_THE_WAY = 64
"""Descriptors that were handed over are moved here, so that none is where a program wants one."""

MOST_NAMED = 100
"""Survivors that the last word names; a message has a largest size."""


class Guard:
    """One program's guard: reports `guard`, `started`, `exited` and, as its last word, `left`.

    It is told `end` (TERM, grace, KILL) or `kill`. When its control channel closes, whoever
    wanted the program is gone, and so it ends the tree at once.
    """

    def __init__(self, control: socket.socket, order: dict[str, Any]) -> None:
        self._control = control
        self._order = order
        self._farewell = Farewell(order["grace"])
        self._program = 0
        self._wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._poll = select.poll()

    def keep(self, descriptors: list[int]) -> None:
        """Start the program with these as its descriptors 0, 1, 2, ... and stay to its end."""
        self._report(guard=os.getpid())
        tree.adopt_orphans()
        signal.set_wakeup_fd(self._wake[1], warn_on_full_buffer=False)
        try:
            self._program = self._start(descriptors)
        except OSError as error:
            self._report(failed=error.errno, place=error.filename or "")
            return
        except ValueError:  # a text that no argument or variable can hold
            self._report(failed=errno.EINVAL, place=self._order["path"])
            return
        self._report(started=self._program)
        self._report(left=[[m.pid, m.name] for m in self._watch()[:MOST_NAMED]])

    def _start(self, descriptors: list[int]) -> int:
        moved = [fcntl.fcntl(d, fcntl.F_DUPFD_CLOEXEC, OUT_OF_THE_WAY) for d in descriptors]
        for descriptor in descriptors:
            os.close(descriptor)
        os.chdir(self._order["cwd"])
        try:
            if self._order["call"]:
                return self._fork(moved)
            return os.posix_spawn(
                self._order["path"],
                self._order["argv"],
                self._order["env"],
                file_actions=[(os.POSIX_SPAWN_DUP2, fd, at) for at, fd in enumerate(moved)],
                setsid=True,
                setsigmask=(),
                setsigdef=RESET,
            )
        finally:
            # A pipe has ended for its reader only when nobody holds the other end, not even us.
            for descriptor in moved:
                os.close(descriptor)

    def _fork(self, descriptors: list[int]) -> int:
        try:
            return forked.fork(self._order, descriptors)
        except forked.Forked:
            self._control.detach()  # its number is another's in that process
            raise

    def _watch(self) -> list[tree.Member]:
        self._poll.register(self._wake[0], select.POLLIN)
        self._poll.register(self._control, select.POLLIN)
        while self._reap():
            try:
                pause = self._farewell.advance()
            except TimeoutError:
                return tree.members(os.getpid())
            self._listen(pause)
        return []

    def _reap(self) -> bool:
        ended, left = tree.reap()
        if self._program in ended:
            self._report(exited=ended[self._program])
            self._farewell.linger()
        return left

    def _listen(self, pause: float | None) -> None:
        for descriptor, _ in self._poll.poll(None if pause is None else pause * 1000 + 1):
            if descriptor == self._wake[0]:
                os.read(descriptor, 4096)
            elif (word := self._hear()) == b"end":
                self._farewell.ask()
            elif word == b"kill":
                self._farewell.kill()
            else:
                self._poll.unregister(self._control)
                self._farewell.kill()

    def _hear(self) -> bytes:
        try:
            return self._control.recv(16)
        except ConnectionError:
            return b""

    def _report(self, **words: Any) -> None:
        with contextlib.suppress(OSError):  # nobody is there to be told; the work goes on
            self._control.send(json.dumps(words).encode())
