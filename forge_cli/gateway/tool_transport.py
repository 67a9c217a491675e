"""The two ways to a tool server: a program's standard streams, or an address."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, cast

import anyio
import httpx2
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from forge_cli.gateway.lines import LineCutter
from forge_cli.gateway.processes import Ending, Process, Processes, Program, usable_system
from forge_cli.gateway.secrets import Redactor
from forge_cli.gateway.streams import Capture, Pipe

MOST = 16 * 2**20
"""Bytes that a server may send in answer to one request, with all that it says beside it."""

KEPT = 8_192
"""Bytes of standard error that are kept."""

LINE = 300
"""Characters of its last line that a message shows."""

PLAIN = "identity"
"""The content coding that is none (RFC 9110, 8.4.1): what is counted is what is kept."""

SHORT = 20
"""Characters of another coding's name that a message shows."""

Streams = tuple[Any, Any]
"""What the library reads messages from, and what it writes them to."""

Incoming = MemoryObjectSendStream[SessionMessage | Exception]


class Intake:
    """Counts what a server sends; from what is too much on, or cannot be counted, it is closed."""

    def __init__(self) -> None:
        self._fault = ""
        self._size = 0

    def begin(self) -> None:
        """Another request is sent."""
        self._size = 0

    def take(self, size: int) -> bool:
        """Whether so many more bytes are taken."""
        self._size += size
        if self._size > MOST:
            self._fault = self._fault or f"it sent over {MOST} bytes in answer to one request"
        return not self._fault

    def takes_coded(self, coding: str) -> bool:
        """Whether content in this coding is taken: only what is none, which does not grow."""
        if coding.strip().lower() not in ("", PLAIN):
            self._fault = self._fault or f"it sent {coding[:SHORT]!a}, and was asked for {PLAIN!r}"
        return not self._fault

    def fault(self) -> str:
        """Why nothing more of it is taken, as a sentence, or nothing."""
        return self._fault


class ProgramTransport:
    """A server that is a program: it ends, with its whole tree, with the connection."""

    def __init__(self, processes: Processes, program: Program, redactor: Redactor) -> None:
        self.intake = Intake()
        self._processes = processes
        self._program = program
        self._said = Capture(redactor, KEPT)
        self._lines = LineCutter(MOST)
        self._process: Process | None = None

    def fault(self) -> str:
        """Why nothing more will come: it sent too much, or ended, and what it said last."""
        if fault := self.intake.fault():
            return fault
        if self._process is None or not self._process.ended.done():
            return ""
        if self._process.ended.result().lost and (said := self._processes.complaint()):
            return f"its sandbox could not be made: {said}"
        lines = self._said.finish().decode(errors="replace").strip().splitlines()
        said = f", after it said: {lines[-1][:LINE]}" if lines else ""
        return f"{_how_it_ended(self._process.ended.result())}{said}"

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Streams]:
        """Start it; nothing of it is left when this is left."""
        incoming, received = anyio.create_memory_object_stream[SessionMessage | Exception](
            float("inf")
        )
        sent, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
        pipes = [Pipe(lambda data: self._hear(data, incoming)), Pipe(self._said.feed)]
        with usable_system():
            theirs, ours = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(ours, False)
        try:
            process = self._process = self._processes.start(
                self._program, [theirs, *(p.theirs for p in pipes)]
            )
        finally:
            os.close(theirs)
            for pipe in pipes:
                pipe.release()
        process.ended.add_done_callback(lambda _: incoming.close())
        writing = asyncio.create_task(_write(ours, outgoing))
        try:
            yield received, sent
        finally:
            writing.cancel()
            await asyncio.wait([writing])
            os.close(ours)
            await process.see_off()
            for pipe in pipes:
                pipe.close()
            for stream in (incoming, received, sent, outgoing):
                stream.close()

    def _hear(self, data: bytes, incoming: Incoming) -> None:
        if not self.intake.take(len(data)):
            incoming.close()
            return
        for line in self._lines.feed(data):
            incoming.send_nowait(message_of(line))


def _how_it_ended(ending: Ending) -> str:
    if ending.errno is not None:
        return f"it did not start: {os.strerror(ending.errno)}: {ending.place}"
    return "it ended" if ending.status is None else f"it ended with exit status {ending.status}"


def message_of(line: bytes) -> SessionMessage | Exception:
    """The message that a line is, or what is wrong with it."""
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error


async def _write(descriptor: int, outgoing: MemoryObjectReceiveStream[SessionMessage]) -> None:
    """Write what is to be sent; that nobody reads it any more is told by the end of the rest."""
    try:
        async for each in outgoing:
            text = each.message.model_dump_json(by_alias=True, exclude_unset=True)
            await _write_all(descriptor, f"{text}\n".encode())
    except BrokenPipeError:
        return


async def _write_all(descriptor: int, data: bytes) -> None:
    loop, rest = asyncio.get_running_loop(), memoryview(data)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:
            ready = loop.create_future()
            loop.add_writer(descriptor, ready.set_result, None)
            try:
                await ready
            finally:
                loop.remove_writer(descriptor)


class AddressTransport:
    """A server that listens at an address, over streamable HTTP."""

    def __init__(self, url: str) -> None:
        self.intake = Intake()
        self._url = url

    def fault(self) -> str:
        """Why nothing more of it is taken, or nothing."""
        return self.intake.fault()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Streams]:
        """Connect to it."""
        client = httpx2.AsyncClient(
            transport=_Counted(self.intake),
            headers={"accept-encoding": PLAIN},
            timeout=None,
            trust_env=False,
        )
        async with (
            client,
            streamable_http_client(self._url, http_client=client) as streams,
        ):
            yield streams


class _Counted(httpx2.AsyncHTTPTransport):
    """Takes no more of a response than it may, and none that would grow when it is decoded."""

    def __init__(self, intake: Intake) -> None:
        super().__init__()
        self._intake = intake

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().handle_async_request(request)
        if not self._intake.takes_coded(response.headers.get("content-encoding", PLAIN)):
            await response.aclose()
            raise httpx2.ReadError("content in a coding that is not taken")
        coming = cast(httpx2.AsyncByteStream, response.stream)
        response.stream = _CountedStream(coming, self._intake.take)
        return response


class _CountedStream(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, take: Callable[[int], bool]) -> None:
        self._stream = stream
        self._take = take

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for data in self._stream:
            if not self._take(len(data)):
                raise httpx2.ReadError("more than is taken")
            yield data

    async def aclose(self) -> None:
        await self._stream.aclose()
