"""Calls of an agent's tools: answered at once if they only read, else asked of the engine."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from pydantic_ai.messages import ModelRequestPart, ToolCallPart

from forge_cli.gateway.files import DeniedError, GrantedFiles, UnreadableError
from forge_cli.handlers.agent_messages import answer, arguments_of
from forge_cli.handlers.agent_reading import READERS
from forge_cli.handlers.agent_tools import POST, Tool, withheld
from forge_cli.handlers.answers import AnswerError, parse
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.tools import shown
from forge_cli.multiagent.turn import Turn

if TYPE_CHECKING:  # who has no servers needs no library that speaks to them
    from forge_cli.handlers.agent_servers import Served


@dataclass(slots=True)
class Sequel:
    """What the model is told next, what the engine is asked for, and what is recorded."""

    parts: list[ModelRequestPart] = field(default_factory=list)
    requests: list[Json] = field(default_factory=list)
    effects: list[Json] = field(default_factory=list)
    posts: list[Json] = field(default_factory=list)
    read: int = 0

    def decline(self, call: ToolCallPart, reason: str, outcome: str) -> None:
        """Answer a call with what is wrong with it."""
        self.parts.append(answer(call, reason, outcome))
        self.effects.append({"tool": shown(call.tool_name), "failed": reason})

    def deny(self, call: ToolCallPart, reason: str, needed: Mapping[str, Json]) -> None:
        """Answer a call with why it is not allowed; `needed` is what it takes."""
        self.parts.append(answer(call, reason, "denied"))
        self.effects.append({"tool": shown(call.tool_name), "denied": reason, **needed})


class Calls:
    """Handles the calls of one turn."""

    def __init__(
        self,
        turn: Turn,
        workspace: Path,
        tools: Mapping[str, Tool],
        served: "Mapping[str, Served]" = MappingProxyType({}),
    ) -> None:
        self._turn = turn
        self._tools = tools
        self._served = served
        self._files = GrantedFiles(workspace, turn.grant)

    async def handle(self, call: ToolCallPart, sequel: Sequel) -> None:
        """Answer a call that only reads, ask the engine for any other; both are recorded."""
        tool, served = self._tools.get(call.tool_name), self._served.get(call.tool_name)
        if tool is None and served is None:
            self._refuse(call, sequel)
            return
        try:
            text = arguments_of(call).encode()
            arguments = parse(text, f"what {call.tool_name} is called with")
        except AnswerError as error:
            sequel.decline(call, str(error), "retried")
            return
        if tool is None:
            await self._ask(call, arguments, sequel)
        elif fault := tool.objection(arguments):
            sequel.decline(call, fault, "retried")
        elif tool is POST:
            sequel.posts.append(arguments)
            sequel.parts.append(answer(call, "It is posted, if you may post there."))
        elif tool.asks:
            sequel.requests.append({"tool": tool.name, "arguments": arguments})
        else:
            await self._read(call, arguments, sequel)

    def _refuse(self, call: ToolCallPart, sequel: Sequel) -> None:
        """Answer a call of a tool that the agent is not shown."""
        name = call.tool_name
        needed = withheld(name, self._turn)
        if not needed and self._turn.handler.get("servers"):
            from forge_cli.handlers.agent_servers import beyond

            needed = beyond(name, self._turn)
        if needed:
            sequel.deny(call, f"{name} is denied: it is not in your contract", needed)
        else:
            known = ", ".join([*self._tools, *self._served]) or "none"
            sequel.decline(call, f"unknown tool {shown(name)!a}; your tools: {known}", "failed")

    async def _ask(self, call: ToolCallPart, arguments: Json, sequel: Sequel) -> None:
        """Have a server answer through its door, or the engine make a call that may change it."""
        if not isinstance(arguments, dict):
            sequel.decline(call, f"the arguments of {call.tool_name} must be an object", "retried")
            return
        served = self._served[call.tool_name]
        if served.asks:
            sequel.requests.append({"tool": served.asked, "arguments": arguments})
        elif self._may_read(call, sequel):
            sequel.read += 1
            try:
                answered = await served.call(arguments)
            except asyncio.CancelledError:
                cut_off = {"failed": "it was cut off before it was answered"}
                sequel.effects.append({"tool": served.asked, "arguments": arguments, **cut_off})
                raise
            sequel.read -= not answered.called
            outcome = "success" if answered.decision == "done" else answered.decision
            sequel.parts.append(answer(call, answered.text, outcome))
            sequel.effects.append(answered.record)

    def _may_read(self, call: ToolCallPart, sequel: Sequel) -> bool:
        left = self._turn.budget.get("tool_calls")
        if left is None or sequel.read < left:
            return True
        sequel.decline(call, f"it is not called: this turn may call {left} tools", "failed")
        return False

    async def _read(
        self, call: ToolCallPart, arguments: Mapping[str, Json], sequel: Sequel
    ) -> None:
        if not self._may_read(call, sequel):
            return
        sequel.read += 1
        try:
            text = await READERS[call.tool_name](self._files, arguments)
        except DeniedError as denial:
            sequel.read -= 1  # what is denied is not paid
            sequel.deny(call, str(denial), denial.needed)
        except UnreadableError as fault:
            sequel.decline(call, str(fault), "failed")
        else:
            sequel.parts.append(answer(call, text))
            sequel.effects.append({"tool": call.tool_name, "arguments": dict(arguments)})
