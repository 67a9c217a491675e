"""MCP on two descriptors, for whoever started forge: a request a line, until they end."""

import asyncio
import contextlib
import os
import threading
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage

from forge_cli.gateway.tool_transport import MOST, Incoming, message_of

CHUNK = 65_536
ATOMIC = 4_096
"""Bytes that a pipe takes at once when it says that it takes any (POSIX: at least 512)."""


async def serve(server: Server[Any], source: int, target: int) -> None:
    """Answer what comes on `source` until that ends; a line of over 16 MiB ends it, too."""
    incoming, received = anyio.create_memory_object_stream[SessionMessage | Exception](float("inf"))
    sent, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    lines = _Lines(incoming)
    loop = asyncio.get_running_loop()
    # A thread, since not every descriptor can be waited for; and one that holds no exit up.
    reader = threading.Thread(target=_read, args=(source, loop, lines.feed), daemon=True)
    reader.start()
    writing = asyncio.create_task(_write(target, outgoing))
    try:
        await server.run(received, sent, server.create_initialization_options())
    finally:
        sent.close()
        await asyncio.wait([writing])
        for stream in (incoming, received, outgoing):
            stream.close()


class _Lines:
    def __init__(self, incoming: Incoming) -> None:
        self._incoming = incoming
        self._rest = bytearray()

    def feed(self, data: bytes) -> None:
        """Take what was read next; nothing is its end."""
        with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            self._rest += data
            *lines, self._rest = self._rest.split(b"\n") if b"\n" in data else [self._rest]
            for line in lines:
                if line.strip():
                    self._incoming.send_nowait(message_of(bytes(line)))
            if not data or len(self._rest) > MOST:
                self._incoming.close()


def _read(source: int, loop: asyncio.AbstractEventLoop, feed: Any) -> None:
    data = b"more"
    while data:
        try:
            data = os.read(source, CHUNK)
        except OSError:
            data = b""
        with contextlib.suppress(RuntimeError):  # the loop has ended before
            loop.call_soon_threadsafe(feed, data)


async def _write(target: int, outgoing: Any) -> None:
    """Write what is answered; once nobody reads it any more, it goes nowhere."""
    async for each in outgoing:
        text = each.message.model_dump_json(by_alias=True, exclude_unset=True)
        rest = memoryview(f"{text}\n".encode())
        while rest:
            await _writable(target)
            try:
                rest = rest[os.write(target, rest[:ATOMIC]) :]
            except BlockingIOError:
                continue
            except OSError:
                break


async def _writable(target: int) -> None:
    with contextlib.suppress(PermissionError):  # a file always is
        await anyio.wait_writable(target)
