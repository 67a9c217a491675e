"""The one door to a tool server: what one contract lets its holder see and call there."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, Self

from mcp_types import CallToolResult, TextContent, Tool

from forge_cli.canonical import digest
from forge_cli.gateway.pins import Pins
from forge_cli.gateway.reach import Reach
from forge_cli.gateway.schemas import violation
from forge_cli.gateway.tool_server import TOLD, ServerError
from forge_cli.multiagent.grants import Grant, allows_tool
from forge_cli.multiagent.terms import Json
from forge_cli.multiagent.tools import SHOWN, shown

CHANGED = "it is denied: the server describes it otherwise than at first"

TOOL = "tool"
"""The action of a tool that nothing else is known of."""

UNDECLARED = {"action": TOOL, "key": "tools"}
"""What a tool takes that no capability stands for: a role whose handler declares it."""

GRAVEST = ("process", "file-write", "network", "file-read")
"""By which action a denial of a tool is told, which may have several."""


class Declared(NamedTuple):
    """A tool as the manifest lets it be called; `actions` are what its capability allows.

    `server` is what the manifest names its server, and empty for a handler's only one.
    """

    name: str
    capability: str
    actions: frozenset[str]
    scope_args: tuple[str, ...]
    server: str

    @classmethod
    def read(cls, written: Mapping[str, Json], server: str) -> Self:
        """The tool as a handler's configuration has it."""
        return cls(
            written["tool"],
            written["capability"],
            frozenset(written["actions"]),
            tuple(written.get("scope_args", ())),
            server,
        )

    @property
    def allowed(self) -> bool:
        """Whether its capability allows it: by its name, or by what it does."""
        return allows_tool(self.actions, self.name, self.server)

    @property
    def reads_only(self) -> bool:
        """Whether its capability lets it change nothing."""
        return self.actions <= {"file-read"}

    @property
    def needed(self) -> dict[str, str]:
        """What a denial says that it takes: its gravest action, and its capability."""
        grave = (action for action in GRAVEST if action in self.actions)
        return {"action": next(grave, TOOL), "capability": self.capability}


@dataclass(frozen=True, slots=True)
class Answered:
    """How a call ended. `text` is what the caller is told, `record` what is kept of it.

    What never reached the server is not `called`, and so not paid. `blocks` and `structured` are
    the content of a result as JSON.
    """

    decision: Literal["done", "failed", "denied"]
    text: str
    record: Json
    called: bool = True
    blocks: Sequence[Json] = ()
    structured: Json = None


class Server(Protocol):
    """What the door is to: see `tool_server`."""

    async def tools(self) -> list[Tool]:
        """All that it lists now."""
        ...

    async def call(self, name: str, arguments: Mapping[str, Json]) -> CallToolResult:
        """What a tool answers."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Proxy:
    """One contract's door to one server, which is called `label` in records.

    `server_key` says whose pins hold, `own` are paths that nobody writes. Resources and prompts of
    a server are behind no door.
    """

    label: str
    server_key: str
    server: Server
    declared: Sequence[Declared]
    grant: Grant
    workspace: Path
    pins: Pins
    own: Collection[str] = ()

    @property
    def granted(self) -> dict[str, Declared]:
        """The tools that the grant holds, by name."""
        held = self.grant.capabilities
        return {t.name: t for t in self.declared if t.capability in held and t.allowed}

    async def visible(self) -> list[Tool]:
        """The granted tools as the server describes them, if that is how it did at first.

        `ServerError` if it lists none, lists without end, or lists a name twice.
        """
        granted = self.granted
        listed = {n: tool for n, tool in (await self._listed()).items() if n in granted}
        same = self._as_at_first(*listed.values())
        return [tool for name, tool in listed.items() if name in same]

    async def call(self, name: str, arguments: Mapping[str, Json]) -> Answered:
        """Call a tool, if the contract allows it; whatever happens is an answer."""
        record = {"tool": f"{self.label}/{shown(name)}", "arguments": dict(arguments)}
        granted = self.granted.get(name)
        if granted is None:
            known = ", ".join(self.granted) or "none"
            declared = (each.needed for each in self.declared if each.name == name)
            reason = f"{shown(name)!a} is denied: the tools of its contract are {known}"
            return _denied(record, reason, next(declared, UNDECLARED))
        try:
            tool = await self._described(name)
        except ServerError as error:
            # What is beyond the contract is told as that, also where the server is of no use.
            denial = await self._denial(granted, arguments)
            return _denied(record, *denial) if denial else _failed(record, str(error))
        called = False
        try:
            if name not in self._as_at_first(tool):
                return _denied(record, CHANGED, granted.needed)
            if fault := violation({name: tool.input_schema}, name, arguments):
                return _failed(record, f"its arguments do not fit: {fault}")
            if denial := await self._denial(granted, arguments):
                return _denied(record, *denial)
            called = True
            result = _read(tool, await self.server.call(name, arguments))
        except ServerError as error:
            return _failed(record, str(error), called)
        return replace(result, record={**record, **result.record})

    async def _denial(
        self, tool: Declared, arguments: Mapping[str, Json]
    ) -> tuple[str, Mapping[str, str]] | None:
        """Why the contract does not allow what the arguments reach, and what it takes; or None."""
        # It may look at many files, and meanwhile others go on.
        return await asyncio.to_thread(self._beyond, tool, arguments)

    def _beyond(
        self, tool: Declared, arguments: Mapping[str, Json]
    ) -> tuple[str, Mapping[str, str]] | None:
        reach = Reach(self.grant, tool.actions, self.workspace, self.own)
        for name in tool.scope_args:
            if name not in arguments:
                reason = f"it is denied: without {name!r} it does not say what it reaches"
                return reason, tool.needed
            if refused := reach.refusal(arguments[name]):
                touches = {"touches": refused.touches} if refused.touches else {}
                return f"{name} {refused.reason}", tool.needed | touches
        return None

    async def _described(self, name: str) -> Tool:
        listed = await self._listed()
        if name not in listed:
            known = ", ".join(listed)[: SHOWN * 4] or "none"
            raise ServerError(f"it has no tool {name!r}; it lists {known}")
        return listed[name]

    async def _listed(self) -> dict[str, Tool]:
        tools = await self.server.tools()
        listed = {tool.name: tool for tool in tools}
        if len(listed) < len(tools):
            raise ServerError("it lists two tools of one name")
        return listed

    def _as_at_first(self, *tools: Tool) -> frozenset[str]:
        described = {
            tool.name: _digest(tool.model_dump(mode="json", by_alias=True, exclude_none=True))
            for tool in tools
        }
        return self.pins.hold(self.server_key, described)


def _denied(record: Mapping[str, Json], reason: str, needed: Mapping[str, str]) -> Answered:
    return Answered("denied", reason, {**record, "denied": reason, **needed}, called=False)


def _failed(record: Mapping[str, Json], fault: str, called: bool = False) -> Answered:
    return Answered("failed", fault, {**record, "failed": fault}, called)


def _read(tool: Tool, result: CallToolResult) -> Answered:
    """The result as an answer; `ServerError` for an error of the tool or a result that lies."""
    blocks = [
        each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in result.content
    ]
    text = "\n".join(each.text for each in result.content if isinstance(each, TextContent))
    if result.is_error:
        raise ServerError(text[:TOLD] or "it failed and gave no reason")
    structured = result.structured_content
    if tool.output_schema is not None and (
        fault := violation({tool.name: tool.output_schema}, tool.name, structured)
    ):
        raise ServerError(f"its result is not as it says: {fault}")
    kept = {"result": _digest({"content": blocks, "structured": structured})}
    return Answered("done", text, kept, blocks=blocks, structured=structured)


def _digest(value: Json) -> str:
    try:
        return digest(value)
    except ValueError as error:
        raise ServerError(f"what it sent is not I-JSON: {error}") from None
