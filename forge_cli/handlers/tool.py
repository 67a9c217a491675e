"""The handler kind `tool`: a turn is one call of a tool that an item's turn has asked for."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from forge_cli.gateway.files import DeniedError, GrantedFiles, UnreadableError
from forge_cli.gateway.writing import UnwritableError
from forge_cli.handlers.agent_tools import NAMED
from forge_cli.handlers.command import CommandHandler
from forge_cli.handlers.context import HandlerContext, InputsError, Stopped, with_inputs_opened
from forge_cli.handlers.masks import masked
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.tools import server_and_name
from forge_cli.multiagent.turn import Turn, TurnResult

if TYPE_CHECKING:  # only who calls a server needs the library that speaks to it
    from forge_cli.handlers.mcp import McpHandler

CALL = {"tool_calls": 1}
NO_CALL = {"tool_calls": 0}

PROGRAM: Mapping[str, Json] = {"stdin": "none", "result": "text", "max_output": 64 * 1024}
"""How programs are called that an agent starts."""


class ToolHandler:
    """Changes files within the grant, and starts programs and servers as other handlers do."""

    def __init__(self, context: HandlerContext) -> None:
        self._context = context
        self._commands = CommandHandler(context)
        self._servers: McpHandler | None = None

    async def run(self, turn: Turn) -> TurnResult:
        """Make the call. Whatever comes of it is a result; cancelling ends a program's tree."""
        if "server" in turn.handler:
            return await self._served(turn)
        try:
            turn = with_inputs_opened(turn, self._context)
        except InputsError as error:
            return TurnResult.failed("error", str(error), usage=NO_CALL)
        tool, arguments = NAMED[turn.inputs["tool"]], turn.inputs["arguments"]
        if fault := tool.objection(arguments):
            return TurnResult.failed("invalid-output", fault, usage=NO_CALL)
        if tool.name == "run_command":
            return await self._command(turn, arguments["argv"])
        return await self._changed(turn, tool.name, arguments)

    async def close(self) -> None:
        """End the sandboxes of the programs that were started."""
        await self._commands.close()

    async def _served(self, turn: Turn) -> TurnResult:
        """Have the server of the turn's own configuration make the call, for which it starts."""
        from forge_cli.handlers.mcp import McpHandler

        if self._servers is None:
            self._servers = McpHandler(self._context)
        server, name = server_and_name(turn.inputs["tool"])
        return await self._servers.call(
            replace(turn, inputs=turn.inputs["arguments"]), server, name
        )

    async def _command(self, turn: Turn, argv: list[str]) -> TurnResult:
        called = replace(turn, handler={**PROGRAM, "argv": argv})
        try:
            result = await self._commands.run(called)
        except Stopped as stopped:
            raise Stopped(replace(stopped.result, usage=CALL)) from None
        return replace(result, usage=CALL)

    async def _changed(self, turn: Turn, tool: str, arguments: Mapping[str, Json]) -> TurnResult:
        effect = {"tool": tool, "path": arguments["path"]}
        task = asyncio.ensure_future(asyncio.to_thread(self._change, turn, tool, arguments))
        try:
            # A change is made to its end: half of one would help nobody.
            await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.wait([task])
            raise Stopped(TurnResult.failed("cancelled", "stopped", usage=CALL)) from None
        except DeniedError as denial:
            # Whatever it lacks, it would have changed something.
            needed = {**denial.needed, "action": "file-write"}
            effects = ({**effect, "denied": str(denial), **needed},)
            return TurnResult.failed("error", str(denial), usage=NO_CALL, effects=effects)
        except (UnreadableError, UnwritableError) as fault:
            effects = ({**effect, "failed": str(fault)},)
            return TurnResult.failed("error", str(fault), usage=CALL, effects=effects)
        done = TurnResult.done({"result": arguments["path"]}, usage=CALL, effects=(effect,))
        return masked(done, self._context.redactor, turn.grant.outputs)

    def _change(self, turn: Turn, tool: str, arguments: Mapping[str, Json]) -> None:
        files = GrantedFiles(self._context.workspace, turn.grant, self._context.own)
        path = arguments["path"]
        if tool == "write_file":
            files.write(path, arguments["content"].encode())
        else:
            old, new = arguments["old"].encode(), arguments["new"].encode()
            files.edit(path, lambda data: _edited(path, data, old, new))


def _edited(path: str, data: bytes, old: bytes, new: bytes) -> bytes:
    found = data.count(old)
    if found != 1:
        raise UnwritableError(f"the text to replace stands {found} times in {path!r}, not once")
    return data.replace(old, new)
