"""Models that follow a script, and an engine that takes an agent turn by turn to its end."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.usage import RequestUsage

from forge_cli.handlers.agent import AgentHandler
from forge_cli.handlers.agent_models import Opened
from forge_cli.handlers.context import HandlerContext
from forge_cli.multiagent.plan import Grant, Json
from forge_cli.multiagent.turn import Turn, TurnResult

MODEL = {"model": "openai:gpt-5"}
READS = Grant(
    capabilities=frozenset({"repository-read"}),
    actions=frozenset({"file-read"}),
    scope=("files:docs/**",),
    outputs=("result",),
)
WRITES = Grant(
    capabilities=frozenset({"repository-write"}),
    actions=frozenset({"file-read", "file-write"}),
    scope=("files:docs/**",),
    writes=("files:docs/**",),
    outputs=("result",),
)
VERDICT = {
    "type": "object",
    "properties": {"verdict": {"enum": ["approve", "reject"]}},
    "required": ["verdict"],
}

Answers = Callable[[TurnResult], tuple[Json, ...]]


def says(text: str, **fields: Any) -> ModelResponse:
    """A response of text; 100 tokens read and 10 written unless it says otherwise."""
    return ModelResponse([TextPart(text)], **{"usage": used(100, 10), **fields})


def calls(*named: tuple[str, Any], **fields: Any) -> ModelResponse:
    """A response that calls tools: pairs of a name and arguments."""
    parts = [ToolCallPart(name, arguments) for name, arguments in named]
    return ModelResponse(parts, **{"usage": used(100, 10), **fields})


def used(read: int, written: int) -> RequestUsage:
    return RequestUsage(input_tokens=read, output_tokens=written)


@dataclass
class Script:
    """A model that gives these responses one after the other, the last one for ever.

    `asked` are the messages of each request, `shown` what came with them.
    """

    responses: tuple[ModelResponse | Exception, ...]
    asked: list[list[ModelMessage]] = field(default_factory=list)
    shown: list[AgentInfo] = field(default_factory=list)

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.asked.append(messages)
        self.shown.append(info)
        response = self.responses[min(len(self.asked), len(self.responses)) - 1]
        if isinstance(response, Exception):
            raise response
        return replace(response, parts=list(response.parts))

    def told(self, request: int = -1) -> str:
        """All that a request newly says, as text."""
        last = self.asked[request][-1]
        assert isinstance(last, ModelRequest)
        return "\n".join(str(getattr(part, "content", "")) for part in last.parts)

    def tools(self) -> set[str]:
        return {tool.name for tool in self.shown[-1].function_tools}


def run_turns(
    context: HandlerContext,
    script: Script,
    turn: Turn,
    answers: Answers = lambda _: (),
    most: int = 20,
    native: bool = False,
) -> list[TurnResult]:
    """The results of the turns until one is no `yields`, each with the state of the one before.

    `native` says that the model's server can hold it to a schema.
    """
    profile = ModelProfile(supports_json_schema_output=native)
    model = FunctionModel(script, model_name="scripted", profile=profile)
    handler = AgentHandler(context, lambda config, environment: Opened(model))

    async def main() -> list[TurnResult]:
        results: list[TurnResult] = []
        state, given = turn.state, turn.answers
        for number in range(turn.number, turn.number + most):
            result = await handler.run(replace(turn, number=number, state=state, answers=given))
            results.append(result)
            if result.status != "yields":
                break
            state, given = result.state, answers(result)
        await handler.close()
        return results

    return asyncio.run(main())


def outcome(results: list[TurnResult]) -> tuple[str, str | None, object]:
    """Status, kind and output of the last result."""
    last = results[-1]
    return last.status, last.kind, last.output
