"""The tools of MCP servers that an agent is shown: those of its grant."""

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from typing import NamedTuple

from mcp_types import Tool

from forge_cli.gateway.proxy import Answered, Declared, Proxy
from forge_cli.gateway.tool_server import ServerError
from forge_cli.handlers.agent_reading import LONGEST
from forge_cli.handlers.context import HandlerContext
from forge_cli.handlers.environment import VariablesError
from forge_cli.handlers.mcp_servers import Doors
from forge_cli.handlers.program import StartError
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.turn import Turn

KEPT = 16
"""Attempts whose servers are kept between turns; those of the one that waits longest go first."""

LONG = 64
"""Characters of a name that models take."""


class ServersError(Exception):
    """A server of the agent cannot be used; the text is a sentence."""


class Served(NamedTuple):
    """A tool as the model is shown it, and the door behind which it is.

    One that `asks` may change something: the engine makes its calls, each as a turn of its own.
    """

    name: str
    tool: Tool
    proxy: Proxy
    asks: bool

    @property
    def asked(self) -> str:
        """How the engine is asked for it: `<server>/<tool>`, by their own names."""
        return f"{self.proxy.label}/{self.tool.name}"

    async def call(self, arguments: Mapping[str, Json]) -> Answered:
        """Call it; whatever happens is an answer, whose text the model can bear."""
        answered = await self.proxy.call(self.tool.name, arguments)
        text = answered.text or _as_text(answered)
        if len(text) > LONGEST:
            text = f"{text[:LONGEST]}\n(the rest is left out: {len(text)} characters in all)"
        return Answered(answered.decision, text, answered.record, answered.called)


class AgentServers:
    """Keeps the servers of each attempt from its first turn to its last, or until it pauses."""

    def __init__(self, context: HandlerContext) -> None:
        self._doors = Doors(context)
        self._open: dict[str, tuple[AsyncExitStack, list[Proxy]]] = {}
        self._resting: dict[str, str] = {}
        self._leaving: list[asyncio.Task[None]] = []
        context.leave.append(self._leave_item)

    async def tools(self, turn: Turn) -> dict[str, Served]:
        """The granted tools by the names that the model is shown: `<server>__<tool>`.

        `ServersError` if one of its servers cannot be had.
        """
        shown = turn.handler.get("tools")
        found: dict[str, Served] = {}
        for proxy in await self._proxies(turn):
            granted = proxy.granted
            for tool in await _visible(proxy):
                action = f"tool:{proxy.label}/{tool.name}"
                if shown is None or action in shown:
                    name = shown_as(proxy.label, tool.name)
                    if name in found:
                        raise ServersError(_alike(found[name], proxy, tool))
                    found[name] = Served(name, tool, proxy, not granted[tool.name].reads_only)
        return found

    async def rest(self, turn: Turn) -> None:
        """The turn is over, and there will be another one of its attempt."""
        self._resting[turn.attempt_id] = turn.item_id
        while len(self._resting) > KEPT:
            await self._end(next(iter(self._resting)))

    async def leave(self, turn: Turn) -> None:
        """End the servers of an attempt of which this is the last turn."""
        await self._end(turn.attempt_id)

    async def close(self) -> None:
        """End all servers."""
        for attempt in list(self._open):
            await self._end(attempt)
        await asyncio.gather(*self._leaving)

    def _leave_item(self, item: str) -> None:
        """Begin to end the servers of an item that has no further turn, or none for now."""
        for attempt in [each for each, of in self._resting.items() if of == item]:
            self._leaving.append(asyncio.create_task(self._end(attempt)))

    async def _end(self, attempt: str) -> None:
        self._resting.pop(attempt, None)
        if attempt in self._open:
            stack, _ = self._open.pop(attempt)
            await stack.aclose()

    async def _proxies(self, turn: Turn) -> Sequence[Proxy]:
        self._resting.pop(turn.attempt_id, None)
        if turn.attempt_id not in self._open:
            doors = [
                self._doors.open(label, config, turn.grant, label)
                for label, config in turn.handler["servers"].items()
            ]
            async with AsyncExitStack() as stack:  # none stays where one cannot be had
                try:
                    proxies = [await stack.enter_async_context(door) for door in doors]
                except (ServerError, StartError, VariablesError) as error:
                    raise ServersError(f"one of its servers cannot be had: {error}") from None
                self._open[turn.attempt_id] = stack.pop_all(), proxies
        return self._open[turn.attempt_id][1]


def shown_as(server: str, tool: str) -> str:
    """The name that a model is shown for a tool of a server."""
    return re.sub("[^A-Za-z0-9_-]", "_", f"{server}__{tool}")[:LONG]


def beyond(name: str, turn: Turn) -> dict[str, Json]:
    """What a declared tool takes that the turn's agent is not shown, as a denial says it.

    Nothing for a name that stands for none, or for one that only its server does without.
    """
    shown = turn.handler.get("tools")
    for server, config in turn.handler["servers"].items():
        for tool in (Declared.read(each, server) for each in config["tools"]):
            if shown_as(server, tool.name) != name:
                continue
            if not (tool.allowed and tool.capability in turn.grant.capabilities):
                return dict(tool.needed)
            if shown is not None and f"tool:{server}/{tool.name}" not in shown:
                return {"action": tool.needed["action"], "key": "tools"}
    return {}


async def _visible(proxy: Proxy) -> list[Tool]:
    try:
        return await proxy.visible()
    except ServerError as error:
        raise ServersError(f"its server {proxy.label!r} cannot be used: {error}") from None


def _alike(one: Served, proxy: Proxy, tool: Tool) -> str:
    names = f"{one.proxy.label}/{one.tool.name:.{LONG}}", f"{proxy.label}/{tool.name:.{LONG}}"
    return (
        f"its tools {names[0]!a} and {names[1]!a} would both be shown as {one.name!r}; declare one"
        " of them, or name its server otherwise"
    )


def _as_text(answered: Answered) -> str:
    whole = answered.blocks if answered.structured is None else answered.structured
    return json.dumps(whole, ensure_ascii=False)
