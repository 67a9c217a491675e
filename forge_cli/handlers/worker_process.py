"""One worker process as forge sees it: asked a turn at a time, listened to, and seen off."""

import asyncio
import os
import shutil
import socket
from collections.abc import Callable, Mapping
from typing import NamedTuple

from forge_cli.gateway.processes import Ending, Process, Processes, Program
from forge_cli.gateway.streams import Capture, Pipe
from forge_cli.handlers.context import HandlerContext
from forge_cli.handlers.environment import temporary_folder
from forge_cli.handlers.frames import CHUNK, Assembly, frame

CAP = 16 * 1024 * 1024
"""Bytes that are kept of what one turn prints on each stream."""


class Service(NamedTuple):
    """What workers serve: a program, or with `call` a `module:function` that is imported already.

    Its arguments are followed by the workspace and the seconds of grace.
    """

    path: str
    argv: tuple[str, ...]
    call: bool = False


class WorkerProcess:
    """A worker from start to end. `usable` until it has to be replaced by another."""

    def __init__(
        self,
        context: HandlerContext,
        processes: Processes,
        service: Service,
        variables: Mapping[str, str],
        grace: float,
    ) -> None:
        """Start it; `grace` is in seconds.

        `processes` are those whose warden has imported what is to be called.
        """
        self._context = context
        self._processes = processes
        self._loop = asyncio.get_running_loop()
        self._captures: dict[str, Capture] | None = None
        self._answer: asyncio.Future[bytes | None] | None = None
        self._assembly = Assembly()
        self._temporary = temporary_folder(context.mark)
        self._pipes = {name: Pipe(self._feeder(name)) for name in ("stdout", "stderr")}
        self._channel, theirs = socket.socketpair()
        self._channel.setblocking(False)
        self._loop.add_reader(self._channel, self._read)
        workspace = str(context.workspace)
        argv = [*service.argv, workspace, str(grace)]
        environment = {**variables, "TMPDIR": self._temporary}
        self.program = Program(service.path, argv, environment, workspace, grace, service.call)
        self.process = self._start(theirs)
        self.process.ended.add_done_callback(self._finish)

    @property
    def usable(self) -> bool:
        """Whether it can be asked again."""
        return not self.process.ended.done() and self._channel.fileno() >= 0

    async def ask(self, message: bytes) -> bytes | None:
        """The answer to a turn, or None if the worker has ended instead.

        Cancelling leaves the worker with half a turn: then it must be seen off.
        """
        self._captures = {}
        self._answer = self._loop.create_future()
        if self.process.ended.done():
            return None
        try:
            await self._send(frame(message))
        except OSError:
            self._hang_up()  # it is ending; what it said before is still read
        answer = await self._answer
        for pipe in self._pipes.values():
            pipe.drain()
        return answer

    def printed(self) -> dict[str, bytes]:
        """What the turn printed, by stream, redacted; streams without anything are left out."""
        captures, self._captures = self._captures or {}, None
        return {name: capture.finish() for name, capture in sorted(captures.items())}

    async def see_off(self) -> Ending:
        """End it, and return when nothing of it is left; cancelling that makes it quick."""
        return await self.process.see_off()

    async def _send(self, data: bytes) -> None:
        try:
            sent = self._channel.send(data)
        except BlockingIOError:
            sent = 0
        if sent < len(data):
            await self._loop.sock_sendall(self._channel, data[sent:])

    def _start(self, channel: socket.socket) -> Process:
        nothing = os.open(os.devnull, os.O_RDONLY)
        pipes = self._pipes.values()
        descriptors = [nothing, *(pipe.theirs for pipe in pipes), channel.fileno()]
        try:
            return self._processes.start(self.program, descriptors)
        finally:
            os.close(nothing)
            channel.close()
            for pipe in pipes:
                pipe.release()

    def _feeder(self, name: str) -> Callable[[bytes], None]:
        def feed(data: bytes) -> None:
            if self._captures is None:
                return  # between turns nothing is asked for
            if name not in self._captures:
                self._captures[name] = Capture(self._context.redactor, CAP)
            self._captures[name].feed(data)

        return feed

    def _read(self) -> bool:
        try:
            data = self._channel.recv(CHUNK)
            message = self._assembly.feed(data)
        except BlockingIOError:
            return False
        except (OSError, ValueError):
            data, message = b"", None
        if message is not None and self._answer is not None and not self._answer.done():
            self._answer.set_result(message)
        elif message is not None or not data:
            self._hang_up()
        return bool(data)

    def _hang_up(self) -> None:
        """What it says further is not wanted: it is brought to its end."""
        self._close_channel()
        self.process.ask()

    def _finish(self, _: asyncio.Future[Ending]) -> None:
        while self._channel.fileno() >= 0 and self._read():
            pass  # an answer that was given in time counts
        self._close_channel()
        for pipe in self._pipes.values():
            pipe.close()
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(None)
        shutil.rmtree(self._temporary, ignore_errors=True)

    def _close_channel(self) -> None:
        if self._channel.fileno() >= 0:
            self._loop.remove_reader(self._channel)
            self._channel.close()
