"""What an outside agent may call under one contract, and the record of what it called."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    Tool,
)

from forge_cli.canonical import digest
from forge_cli.gateway.files import DeniedError, GrantedFiles, UnreadableError
from forge_cli.gateway.proxy import Answered, Proxy
from forge_cli.gateway.secrets import Redactor
from forge_cli.gateway.tool_server import ServerError
from forge_cli.handlers.agent_reading import READERS
from forge_cli.handlers.agent_tools import NAMED
from forge_cli.multiagent.grants import Grant
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.tools import shown

Record = Callable[[str, Json], None]
"""Keeps what happened durably: its kind and what is to be said of it."""

CANCELLED = "it was cancelled before it answered"
"""What is kept of a call that whoever made it, or the end of the gateway, has cut short."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many calls the contract pays, None for any number, and until when (monotonic seconds)."""

    tool_calls: int | None
    until: float

    @property
    def left(self) -> float:
        """Seconds until then, none or less if it is over."""
        return self.until - time.monotonic()


class ServedTools:
    """The granted tools of servers, and forge's own that read files where that is granted."""

    def __init__(
        self,
        proxies: Sequence[Proxy],
        files: GrantedFiles,
        grant: Grant,
        bounds: Bounds,
        record: Record,
        redactor: Redactor,
    ) -> None:
        self._proxies = {name: proxy for proxy in reversed(proxies) for name in proxy.granted}
        readers = READERS if "file-read" in grant.actions else {}
        self._readers = {name: readers[name] for name in readers if name not in self._proxies}
        self._files = files
        self._bounds = bounds
        self._record = record
        self._redactor = redactor
        self.paid = 0
        self.made = 0

    @property
    def names(self) -> list[str]:
        """The tools that can be called."""
        return [*self._readers, *self._proxies]

    def server(self, name: str, purpose: str) -> Server[Any]:
        """An MCP server of these tools, and of nothing else."""
        return Server(
            name, instructions=purpose, on_list_tools=self._list, on_call_tool=self._answer
        )

    async def _list(self, _context: Any, _params: Any) -> ListToolsResult:
        found = [_own(name) for name in self._readers]
        try:
            async with asyncio.timeout(self._bounds.left):
                for proxy in dict.fromkeys(self._proxies.values()):
                    found += await _visible(proxy)
        except TimeoutError:
            raise MCPError(INTERNAL_ERROR, "the time of its contract is over") from None
        return ListToolsResult(tools=found)

    async def _answer(self, _context: Any, params: CallToolRequestParams) -> CallToolResult:
        self.made += 1
        number, arguments = self.made, params.arguments or {}
        name = self._redactor.redact(params.name)  # before it is cut for a message
        self._record("tool_called", {"call": number, "tool": name, "arguments": arguments})
        try:
            answered = await self._bounded(name, arguments)
        except asyncio.CancelledError:
            self._keep(number, name, Answered("failed", "", {"failed": CANCELLED}))
            raise
        self._keep(number, name, answered)
        blocks = answered.blocks or [{"type": "text", "text": answered.text}]
        content = {"content": blocks, "isError": answered.decision != "done"}
        if answered.structured is not None:
            content["structuredContent"] = answered.structured
        return CallToolResult.model_validate(self._redactor.redact_json(content), by_name=False)

    def _keep(self, number: int, name: str, answered: Answered) -> None:
        kept = {k: v for k, v in answered.record.items() if k != "arguments"}
        decision = {"call": number, "decision": answered.decision, "paid": answered.called}
        self._record("tool_answered", {**kept, "tool": name, **decision})

    async def _bounded(self, name: str, arguments: Mapping[str, Json]) -> Answered:
        most, left = self._bounds.tool_calls, self._bounds.left
        if left <= 0:
            return _denied("it is denied: the time of its contract is over")
        if most is not None and self.paid >= most:
            return _denied(f"it is denied: its budget of {most} tool calls is spent")
        self.paid += 1  # before the call: others may be made beside it
        try:
            async with asyncio.timeout(left):
                answered = await self._call(name, arguments)
        except TimeoutError:
            fault = "it did not answer within the time of its contract"
            answered = Answered("failed", fault, {"failed": fault})
        self.paid -= not answered.called
        return answered

    async def _call(self, name: str, arguments: Mapping[str, Json]) -> Answered:
        if name in self._proxies:
            return await self._proxies[name].call(name, arguments)
        if name in self._readers:
            return await self._read(name, arguments)
        known = ", ".join(self.names) or "none"
        return _denied(f"{shown(name)!a} is denied: the tools of its contract are {known}")

    async def _read(self, name: str, arguments: Mapping[str, Json]) -> Answered:
        if fault := NAMED[name].objection(arguments):
            return Answered("failed", fault, {"failed": fault}, called=False)
        try:
            text = await self._readers[name](self._files, arguments)
        except DeniedError as denial:
            return _denied(str(denial))
        except UnreadableError as error:
            return Answered("failed", str(error), {"failed": str(error)})
        return Answered("done", text, {"result": digest(text)})


async def _visible(proxy: Proxy) -> list[Tool]:
    try:
        return await proxy.visible()
    except ServerError as error:
        raise MCPError(INTERNAL_ERROR, f"server {proxy.label!r}: {error}") from None


def _own(name: str) -> Tool:
    tool = NAMED[name]
    return Tool(name=name, description=tool.description, input_schema=tool.parameters)


def _denied(reason: str) -> Answered:
    return Answered("denied", reason, {"denied": reason}, called=False)
