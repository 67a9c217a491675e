"""The one small process that starts all programs: it forks a guard for each, in a millisecond.

It is started as `python -I -S -X utf8 -c BOOT`, imports the standard library's small modules
only, and has an empty environment, so that /proc shows no secret of forge's. A warden whose
programs are calls is started with site-packages, and imports at its start what they will need.
"""

import gc
import json
import os
import select
import signal
import socket
from importlib import import_module
from typing import Any

from forge_cli.gateway import tree
from forge_cli.gateway.forked import FAILED, Forked
from forge_cli.gateway.guard import Guard

REQUESTS = 0
"""The descriptor on which requests arrive: each is [control, order, descriptors 0, 1, 2, ...]."""

MOST_DESCRIPTORS = 16


class Warden:
    """Takes requests until forge is gone, then waits for the guards to finish.

    A guard that is killed leaves its tree to the next subreaper above, which is this process:
    children that it did not fork itself are such orphans, and are killed. A guard that is stopped
    watches over nothing any more, so it is killed, and its tree with it.
    """

    def __init__(self, requests: socket.socket) -> None:
        self._requests = requests
        self._guards: set[int] = set()
        self._wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._orphans = False

    def serve(self) -> None:
        """Fork a guard for each request; returns when forge and all guards have ended."""
        tree.adopt_orphans()
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wake[1], warn_on_full_buffer=False)
        poll = select.poll()
        poll.register(self._wake[0], select.POLLIN)
        poll.register(self._requests, select.POLLIN)
        wanted = True
        while self._reap() or wanted:
            for descriptor, _ in poll.poll():
                if descriptor == self._wake[0]:
                    os.read(descriptor, 4096)
                elif not self._take():
                    wanted = False
                    poll.unregister(self._requests)

    def _take(self) -> bool:
        _, descriptors, _, _ = socket.recv_fds(
            self._requests, 1, MOST_DESCRIPTORS, socket.MSG_CMSG_CLOEXEC
        )
        if not descriptors:
            return False
        control = socket.socket(fileno=descriptors[0])
        try:
            pid = os.fork()
        except OSError as error:
            control.send(json.dumps({"failed": error.errno, "place": ""}).encode())
        else:
            if not pid:
                self._become_guard(control, descriptors[1], descriptors[2:])
            self._guards.add(pid)
        control.close()
        for descriptor in descriptors[1:]:
            os.close(descriptor)
        return True

    def _become_guard(self, control: socket.socket, order: int, descriptors: list[int]) -> None:
        """Never returns, but raises `Forked` in a program that is a call."""
        try:
            self._requests.close()
            for descriptor in self._wake:
                os.close(descriptor)
            tree.name_process("forge-guard")
            Guard(control, read_order(order)).keep(descriptors)
        except Forked:
            raise
        except BaseException:  # noqa: BLE001  nothing but an exit leads out of here
            os._exit(FAILED)
        os._exit(0)

    def _reap(self) -> bool:
        for pid in tree.stopped():
            if pid in self._guards:
                # It is our child and was not reaped yet, so the pid is still its own.
                os.kill(pid, signal.SIGKILL)
        ended, left = tree.reap()
        self._orphans |= any(code and pid in self._guards for pid, code in ended.items())
        self._guards -= ended.keys()
        if self._orphans:
            self._kill_orphans()
        return left

    def _kill_orphans(self) -> None:
        root = os.getpid()
        orphans = [m for m in tree.members(root) if m.parent == root and m.pid not in self._guards]
        for orphan in orphans:
            tree.send(orphan, signal.SIGKILL, root)
        # Each one that dies hands its children up and wakes us, so the next round takes those.
        self._orphans = bool(orphans)


def read_order(descriptor: int) -> dict[str, Any]:
    """The order that forge wrote into a memory file, which is closed."""
    with open(descriptor, "rb") as file:
        file.seek(0)
        order: dict[str, Any] = json.load(file)
    return order


def main(rules: str, *modules: str) -> None:
    """Serve the socket that is standard input, the modules imported for programs to come.

    `rules` is the number of the descriptor of what it is held to before all else, or empty.
    """
    tree.name_process("forge-warden")
    if rules:
        import_module("forge_cli.gateway.sandbox.inside").enter(int(rules))
    for name in modules:
        import_module(name)
    gc.disable()
    gc.freeze()
    program = _serve()
    if program is not None:
        program.call()  # outside of any `except`: what it raises is its own


def _serve() -> Forked | None:
    try:
        with socket.socket(fileno=REQUESTS) as requests:
            Warden(requests).serve()
    except Forked as program:
        return program.with_traceback(None)
    return None
