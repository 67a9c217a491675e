"""The handler kind `mcp`: a turn is one call of one tool of an MCP server."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping

from forge_cli.gateway.proxy import Answered
from forge_cli.gateway.tool_server import ServerError
from forge_cli.handlers.answers import AnswerError, parse
from forge_cli.handlers.context import HandlerContext, InputsError, Stopped, with_inputs_opened
from forge_cli.handlers.environment import VariablesError
from forge_cli.handlers.masks import masked
from forge_cli.handlers.mcp_servers import Doors
from forge_cli.handlers.program import StartError
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.turn import Turn, TurnResult

CALL = {"tool_calls": 1}
NO_CALL = {"tool_calls": 0}

PARTIAL = 2_000
"""Characters of a result that will not do which are kept."""


class McpHandler:
    """Starts the server of each turn, calls the granted tool with the item's inputs, ends it."""

    def __init__(self, context: HandlerContext) -> None:
        self._context = context
        self._doors = Doors(context)

    async def run(self, turn: Turn) -> TurnResult:
        """Make the call. Whatever the server does is a result; cancelling ends its whole tree."""
        return await self._settled(turn, self._only)

    async def call(self, turn: Turn, server: str, tool: str) -> TurnResult:
        """Call a tool of a server of an agent, whose name is that in the manifest."""

        async def named(opened: Turn) -> TurnResult:
            config = opened.handler
            async with self._doors.open(server, config, opened.grant, server) as proxy:
                return _result(opened, await proxy.call(tool, opened.inputs))

        return await self._settled(turn, named)

    async def _settled(
        self, turn: Turn, made: Callable[[Turn], Awaitable[TurnResult]]
    ) -> TurnResult:
        try:
            result = await made(with_inputs_opened(turn, self._context))
        except (InputsError, StartError, VariablesError) as error:
            result = TurnResult.failed("error", str(error), usage=NO_CALL)
        except ServerError as error:
            result = TurnResult.failed("error", f"its server failed: {error}", usage=NO_CALL)
        except asyncio.CancelledError:
            # Whether the server was called by then, it alone knows.
            raise Stopped(TurnResult.failed("cancelled", "stopped", usage=CALL)) from None
        return masked(result, self._context.redactor, turn.grant.outputs)

    async def close(self) -> None:
        """Nothing is kept between turns."""

    async def _only(self, turn: Turn) -> TurnResult:
        async with self._doors.open(turn.role_id, _whole(turn.handler), turn.grant) as proxy:
            granted = list(proxy.granted)
            if len(granted) != 1:
                tools = ", ".join(granted) or "no tool"
                reason = f"its grant stands for {tools}; grant the capability of the one to call"
                return TurnResult.failed("error", reason, usage=NO_CALL)
            return _result(turn, await proxy.call(granted[0], turn.inputs))


def _whole(config: Mapping[str, Json]) -> dict[str, Json]:
    """The configuration with the item's own variables and secrets in its server's environment."""
    server = config["server"]
    env = {**server.get("env", {}), **config.get("env", {})}
    secrets = [*server.get("secrets", ()), *config.get("secrets", ())]
    return {**config, "server": {**server, "env": env, "secrets": secrets}}


def _result(turn: Turn, answered: Answered) -> TurnResult:
    usage, effects = (CALL if answered.called else NO_CALL), (answered.record,)
    if answered.decision != "done":
        return TurnResult.failed("error", answered.text, usage=usage, effects=effects)
    try:
        output = _output(turn.grant.outputs, answered)
    except AnswerError as error:
        partial = answered.text[:PARTIAL] or None
        return TurnResult.failed("invalid-output", str(error), partial, usage, effects)
    return TurnResult.done(output, usage=usage, effects=effects)


def _output(keys: tuple[str, ...], answered: Answered) -> dict[str, Json]:
    """The item's outputs: the structured result, if those are its keys, or all of it as the one."""
    structured = answered.structured
    text = json.dumps([structured, answered.blocks])
    structured, blocks = parse(text.encode(), "what the tool answered")
    if isinstance(structured, dict) and structured.keys() == {*keys}:
        return structured
    if len(keys) == 1:
        plain = all(block["type"] == "text" for block in blocks)
        whole = answered.text if plain else blocks
        return {keys[0]: whole if structured is None else structured}
    said = f"an object with {', '.join(structured)}" if isinstance(structured, dict) else "a text"
    raise AnswerError(f"the tool answered {said}, and the outputs are {', '.join(keys)}")


def create(context: HandlerContext) -> McpHandler:
    """The handler of a run."""
    return McpHandler(context)
