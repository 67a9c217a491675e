"""A connection to one MCP server: its tools listed and called, whatever it answers."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, TypeVar

from mcp.client import Client, ClientSession
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    Implementation,
    ListToolsResult,
    PaginatedRequestParams,
    Result,
    Tool,
)
from pydantic_core import ValidationError

from forge_cli import __version__
from forge_cli.gateway.secrets import Redactor
from forge_cli.gateway.tool_transport import Intake, Streams
from forge_cli.multiagent.terms import Json

PAGES = 50
"""Pages of a list that are read; a list that goes on has no end."""

TOLD = 300
"""Characters of an error that are told."""

_T = TypeVar("_T", bound=Result)

for _name in ("mcp", "client"):  # what the library logs of a bad server is told by the outcome
    logging.getLogger(_name).addHandler(logging.NullHandler())


class ServerError(Exception):
    """The server did not do what was asked; the text is a sentence that begins with `it`."""


class Transport(Protocol):
    """A way to a server: see `tool_transport`."""

    intake: Intake

    def open(self) -> AbstractAsyncContextManager[Streams]:
        """Connect; all of it is closed when that is left."""
        ...

    def fault(self) -> str:
        """Why nothing more will come, as a sentence that begins with `it`, or nothing."""
        ...


class ToolServer:
    """A server from its first request to `close`, which need not be made by one task.

    What it answers is without secrets, before anything else reads it or cuts it short.
    """

    def __init__(self, transport: Transport, redactor: Redactor) -> None:
        self._transport = transport
        self._redactor = redactor
        self._leave = asyncio.Event()
        self._client: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._holder: asyncio.Task[str] | None = None

    async def close(self) -> None:
        """End the server. Nothing of it is left afterwards, also if this is cancelled."""
        if self._holder is None:
            return
        self._leave.set()
        cancelled = False
        while not self._holder.done():
            try:
                await asyncio.wait([self._holder])
            except asyncio.CancelledError:
                cancelled = True
                self._holder.cancel()
        if cancelled:
            raise asyncio.CancelledError

    async def tools(self) -> list[Tool]:
        """All tools that it lists now; `ServerError` if it cannot, or the list has no end."""
        found: list[Tool] = []
        cursor: str | None = None
        for _ in range(PAGES):
            page = await self._page(cursor)
            found += page.tools
            cursor = page.next_cursor
            if cursor is None:
                return found
        raise ServerError(f"it lists its tools on over {PAGES} pages")

    async def _page(self, cursor: str | None) -> ListToolsResult:
        params = None if cursor is None else PaginatedRequestParams(cursor=cursor)
        return await self._asked(lambda session: session.list_tools(params=params))

    async def call(self, name: str, arguments: Mapping[str, Json]) -> CallToolResult:
        """What the tool answers, which may be an error of its own; `ServerError` if nothing."""
        # Not by the session's own method: that holds results against the server's own schemas,
        # whose patterns may take for ever.
        params = CallToolRequestParams(name=name, arguments=dict(arguments))
        request = CallToolRequest(params=params)
        return await self._asked(lambda session: session.send_request(request, CallToolResult))

    async def _hold(self) -> str:
        """Hold the connection until it is to be left; why it broke before, or nothing.

        The task that enters it must be the one that leaves it.
        """
        who = Implementation(name="forge", version=__version__)
        streams = self._transport.open()
        try:
            async with Client(streams, cache=None, client_info=who) as client:
                self._client.set_result(client)
                await self._leave.wait()
        except Exception as error:  # noqa: BLE001 - whatever a server does is its own fault
            return self._told(_innermost(error))
        return ""

    async def _before_it_breaks(self, awaited: asyncio.Future[Any]) -> None:
        """Wait for something of the connection, which is made if that is not done yet.

        `ServerError` if the connection ends first.
        """
        if self._holder is None:
            self._holder = asyncio.create_task(self._hold())
        waited: set[asyncio.Future[Any]] = {self._holder, awaited}
        await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        if self._holder.done():
            raise self._fault(f"it cannot be talked to: {self._holder.result()}")

    async def _asked(self, ask: Callable[[ClientSession], Awaitable[_T]]) -> _T:
        await self._before_it_breaks(self._client)
        self._transport.intake.begin()
        answer = asyncio.ensure_future(ask(self._client.result().session))
        try:
            await self._before_it_breaks(answer)
        finally:
            answer.cancel()
        try:
            return self._clean(answer.result())
        except MCPError as error:
            raise self._fault(f"it answered with an error: {self._told(error.message)}") from None
        except Exception as error:  # noqa: BLE001 - whatever a server sends is its own fault
            why = self._told(_words(error))
            raise self._fault(f"its answer is none that the protocol knows: {why}") from None

    def _clean(self, answer: _T) -> _T:
        if not self._redactor.knows_any:
            return answer
        words = self._redactor.redact_json(answer.model_dump(by_alias=True, exclude_unset=True))
        return type(answer).model_validate(words, by_name=False)

    def _told(self, text: str) -> str:
        """What is told of an error: cut only now, as half a secret would not be recognized."""
        return self._redactor.redact(text)[:TOLD]

    def _fault(self, otherwise: str) -> ServerError:
        """Why the connection is of no more use, or else what is wrong with an answer."""
        return ServerError(self._transport.fault() or otherwise)


def _innermost(error: Exception) -> str:
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return _words(error) or type(error).__name__


def _words(error: Exception) -> str:
    """What an error says, in one line; of a value that does not fit, without that value.

    The library cuts the value short, so that half a secret might be in it.
    """
    if isinstance(error, ValidationError):
        faults = error.errors(include_url=False, include_input=False)
        return "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in faults)
    return " ".join(str(error).split())
