"""One worker process as forge sees it: asked a turn at a time, listened to, and seen off."""

import asyncio
import os
import shutil
import socket
from collections.abc import Callable, Mapping
from typing import NamedTuple

from forge_cli.gateway.processes import ConfinementError, Ending, Process, Program
from forge_cli.gateway.sandbox.boxes import Box
from forge_cli.gateway.streams import Capture, Pipe
from forge_cli.gateway.temporary import temporary_folder
from forge_cli.handlers.context import HandlerContext
from forge_cli.handlers.frames import CHUNK, EAGER, HELD, Assembly, frame
from forge_cli.handlers.offers import Offer, Offers

CAP = 16 * 1024 * 1024
"""Bytes that are kept of what one turn prints on each stream."""

DEPTH = 16
"""How many turns a worker is asked for at once."""

SMALL = 8_192
"""Bytes of a turn that another may wait for: all of them fit into the channel."""

PATIENCE = 0.005
"""Seconds without an answer after which what waits for it is asked of others."""

FIRST_PATIENCE = 0.05
"""The same for a worker that has not answered yet: until it takes a turn, nor could another."""


class Service(NamedTuple):
    """What workers serve: a program, or with `call` a `module:function` that is imported already.

    Its arguments are followed by the workspace and the seconds of grace. `files` are what it
    consists of, which it reads in a sandbox, too.
    """

    path: str
    argv: tuple[str, ...]
    call: bool = False
    files: tuple[str, ...] = ()


class WorkerProcess:
    """A worker from start to end. `usable` until it has to be replaced by another."""

    def __init__(
        self,
        context: HandlerContext,
        box: Box,
        service: Service,
        variables: Mapping[str, str],
        grace: float,
        brisk: bool,
    ) -> None:
        """Start it; `grace` is in seconds, `brisk` whether its turns are taken to be quick.

        `box` is where it works, with a warden that has imported what is to be called.
        """
        self._context = context
        self._processes = box.processes
        self._loop = asyncio.get_running_loop()
        self._offers = Offers()
        self._assembly = Assembly()
        self._corked = bytearray()
        self._unsent = bytearray()
        self._patience: asyncio.TimerHandle | None = None
        self._brisk = brisk
        self._spent = False
        self._temporary = temporary_folder(context.mark, box.folder)
        self._pipes = {
            name: Pipe(self._feeder(name), self._is_plain) for name in ("stdout", "stderr")
        }
        self._channel, theirs = socket.socketpair()
        self._channel.setblocking(False)
        self._loop.add_reader(self._channel, self._read)
        workspace = str(context.workspace)
        argv = [*service.argv, workspace, str(grace)]
        environment = {**variables, **box.variables(self._temporary)}
        self.program = Program(service.path, argv, environment, workspace, grace, service.call)
        try:
            self.process = self._start(theirs)
        except ConfinementError:
            self._leave()
            raise
        self.process.ended.add_done_callback(self._finish)

    @property
    def complaint(self) -> str:
        """What its sandbox said when it could not be made."""
        return self._processes.complaint()

    @property
    def usable(self) -> bool:
        """Whether it can be asked again."""
        alive = not self.process.ended.done() and self._channel.fileno() >= 0
        return alive and not self._spent

    @property
    def busy(self) -> bool:
        """Whether there is something that it has not answered."""
        return bool(self._offers)

    def is_free(self, size: int) -> bool:
        """Whether a message of so many bytes is better asked of it than of another."""
        asked = len(self._offers)
        if not asked:
            return self.usable
        return self._brisk and asked < DEPTH and size <= SMALL and not self._unsent and self.usable

    def offer(self, message: bytes) -> Offer:
        """Ask it to make a turn, after those that it was asked for before.

        It is asked in the next pass of the loop, with all that it is asked for in this one.
        """
        offer, beginning = self._offers.add()
        if not self._corked:
            self._loop.call_soon(self._uncork)
        self._corked += frame(beginning + message)
        if self._patience is None and len(self._offers) > 1:
            self._be_patient()
        return offer

    def withdraw(self) -> None:
        """Take back what it has not taken, and take in what it has answered."""
        self._offers.withdraw()
        # Before it took a turn it has answered the one before.
        while self._channel.fileno() >= 0 and self._read():
            pass
        self._resume()

    def distrust(self) -> None:
        """Ask nothing more of it: what it answered makes no sense."""
        self._spent = True
        self._offers.withdraw()

    async def see_off(self) -> Ending:
        """End it, and return when nothing of it is left; cancelling that makes it quick."""
        self._offers.withdraw()
        return await self.process.see_off()

    def _be_patient(self) -> None:
        delay = PATIENCE if self._offers.closed else FIRST_PATIENCE
        self._patience = self._loop.call_later(delay, self._look, self._offers.closed)

    def _look(self, closed: int) -> None:
        """Withdraw what waits for a turn that takes its time."""
        self._patience = None
        if self._offers.closed == closed and self._offers.begun:
            self._brisk = False
            self._offers.withdraw()
            self._resume()
        elif len(self._offers) > 1:
            self._be_patient()

    def _is_plain(self) -> bool:
        """Whether it is plain what the words that it prints belong to."""
        return len(self._offers) < 2

    def _resume(self) -> None:
        if self._is_plain():
            for pipe in self._pipes.values():
                pipe.resume()

    def _uncork(self) -> None:
        if self._channel.fileno() >= 0:
            self._offers.send()
            self._send(bytes(self._corked))
        self._corked.clear()

    def _send(self, data: bytes) -> None:
        try:
            sent = 0 if self._unsent else self._channel.send(data)
        except BlockingIOError:
            sent = 0
        except OSError:
            self._give_up()
            return
        if sent < len(data):
            self._unsent += data[sent:]
            self._loop.add_writer(self._channel, self._send_on)

    def _send_on(self) -> None:
        try:
            del self._unsent[: self._channel.send(self._unsent)]
        except BlockingIOError:
            return
        except OSError:
            self._unsent.clear()
            self._give_up()
        if not self._unsent:
            self._loop.remove_writer(self._channel)

    def _give_up(self) -> None:
        """It listens no more, and is brought to its end; what it said before is still read."""
        self._spent = True
        self.process.ask()

    def _start(self, channel: socket.socket) -> Process:
        nothing = os.open(os.devnull, os.O_RDONLY)
        pipes = self._pipes.values()
        ends = (channel, self._offers.theirs)
        descriptors = [nothing, *(pipe.theirs for pipe in pipes), *(end.fileno() for end in ends)]
        try:
            return self._processes.start(self.program, descriptors)
        finally:
            os.close(nothing)
            channel.close()
            for pipe in pipes:
                pipe.release()

    def _feeder(self, name: str) -> Callable[[bytes], None]:
        def feed(data: bytes) -> None:
            offer = self._offers.only
            if offer is None:
                return  # between turns nothing is asked for
            if name not in offer.captures:
                offer.captures[name] = Capture(self._context.redactor, CAP)
            offer.captures[name].feed(data)

        return feed

    def _read(self) -> bool:
        try:
            data = self._channel.recv(CHUNK)
            messages = self._assembly.feed(data)
        except BlockingIOError:
            return False
        except ConnectionResetError:
            return True  # it ended with turns unread; what it answered is still there: unix(7)
        except (OSError, ValueError):
            data, messages = b"", []
        for message in messages:
            if not self._offers.is_due(message[:1]):
                self._condemn()
                return False
            self._take(message[1:])
        if not data:
            self._hang_up()
        return bool(data)

    def _take(self, message: bytes) -> None:
        """Take the answer to the first of what it was asked."""
        remark, answer = message[:1], message[1:]
        if remark == EAGER:
            self._brisk = True
        else:
            self._brisk = False
            self._spent = remark != HELD
            self._offers.withdraw()
            for pipe in self._pipes.values():
                pipe.drain()
            self._offers.renew()
        self._offers.close_first(answer)
        self._resume()

    def _condemn(self) -> None:
        """Somebody answers who was not asked: nothing that comes from there is believed."""
        self._spent = True
        self._close_channel()
        self.process.kill()

    def _hang_up(self) -> None:
        """What it says further is not wanted: it is brought to its end."""
        self._close_channel()
        self.process.ask()

    def _finish(self, _: asyncio.Future[Ending]) -> None:
        while self._channel.fileno() >= 0 and self._read():
            pass  # an answer that was given in time counts
        self._leave()

    def _leave(self) -> None:
        self._close_channel()
        self._offers.withdraw()
        for pipe in self._pipes.values():
            pipe.close()
        self._offers.close()
        if self._patience is not None:
            self._patience.cancel()
        shutil.rmtree(self._temporary, ignore_errors=True)

    def _close_channel(self) -> None:
        if self._channel.fileno() >= 0:
            self._loop.remove_reader(self._channel)
            self._loop.remove_writer(self._channel)
            self._channel.close()
