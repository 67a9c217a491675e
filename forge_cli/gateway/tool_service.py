"""MCP on two descriptors, for whoever started forge: a request a line, until they end."""

import asyncio
import contextlib
import json
import os
import threading
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    RequestId,
)

from forge_cli.gateway.lines import LineCutter
from forge_cli.gateway.tool_transport import MOST, Incoming, message_of
from forge_cli.multiagent.plan import Json

CHUNK = 65_536
ATOMIC = 4_096
"""Bytes that a pipe takes at once when it says that it takes any (POSIX: at least 512)."""


async def serve(server: Server[Any], source: int, target: int) -> None:
    """Answer what comes on `source` until that ends; a line of over 16 MiB has an error for one."""
    incoming, received = anyio.create_memory_object_stream[SessionMessage | Exception](float("inf"))
    sent, outgoing = anyio.create_memory_object_stream[SessionMessage](float("inf"))
    heard = _Heard(incoming, sent)
    loop = asyncio.get_running_loop()
    # A thread, since not every descriptor can be waited for; and one that holds no exit up.
    reader = threading.Thread(target=_read, args=(source, loop, heard.take), daemon=True)
    reader.start()
    writing = asyncio.create_task(_write(target, outgoing))
    try:
        await server.run(received, sent, server.create_initialization_options())
    finally:
        sent.close()
        await asyncio.wait([writing])
        for stream in (incoming, received, outgoing):
            stream.close()


class _Heard:
    def __init__(self, incoming: Incoming, sent: MemoryObjectSendStream[SessionMessage]) -> None:
        self._incoming = incoming
        self._sent = sent
        self._lines = LineCutter(MOST)

    def take(self, data: bytes) -> None:
        """Take what was read next; nothing is its end."""
        with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            for line in self._lines.feed(data):
                self._answer(line)
            if not data:
                self._incoming.close()

    def _answer(self, line: bytes) -> None:
        message = message_of(line)
        if error := _objection(line, message):
            self._sent.send_nowait(SessionMessage(error))
        else:
            self._incoming.send_nowait(message)


def _objection(line: bytes, message: SessionMessage | Exception) -> JSONRPCError | None:
    """The answer to a line that is no message (JSON-RPC 2.0, 5.1), or None for one that is.

    The library says nothing to such a line, and takes a request with an id that is none for a
    notification, which has no answer: who sent it would wait for ever.
    """
    if len(line) > MOST:
        return _error(None, INVALID_REQUEST, f"the line has over {MOST} bytes")
    if isinstance(message, SessionMessage) and not isinstance(message.message, JSONRPCNotification):
        return None
    try:
        written = json.loads(line)
    except (ValueError, RecursionError):
        return _error(None, PARSE_ERROR, "the line is no JSON")
    members = written if isinstance(written, dict) else {}
    if isinstance(message, SessionMessage) and "id" not in members:
        return None
    told = "the line is no message of JSON-RPC 2.0 with an id that is a number or a text, in UTF-8"
    return _error(_usable(members.get("id")), INVALID_REQUEST, told)


def _error(named: RequestId | None, code: int, told: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=named, error=ErrorData(code=code, message=told))


def _usable(named: Json) -> RequestId | None:
    """The id that an answer can have, if that is one."""
    if isinstance(named, str):
        return named if named.isprintable() else None
    return named if type(named) is int else None


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
