"""What a model's response comes to: a result, a correction, or another turn behind its calls."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    UserPromptPart,
)

from forge_cli.handlers.agent_calls import Calls, Sequel
from forge_cli.handlers.agent_messages import answer, arguments_of, repaired, saved
from forge_cli.handlers.agent_output import Wanted
from forge_cli.handlers.agent_settings import WRITTEN
from forge_cli.handlers.agent_tools import POST
from forge_cli.handlers.answers import AnswerError
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.turn import Turn, TurnResult

CORRECTIONS = 3
"""How often an agent is told what is wrong with its result before its item has failed."""

LONGEST = 1024 * 1024
"""Bytes of a response that are taken."""

SHOWN = 2_000
"""Characters of a result that will not do which are kept as partial."""

COUNT = "corrections"
"""Under which name the metadata of a request tells how many corrections there have been."""


def unusable(response: ModelResponse, most: int | None) -> TurnResult | None:
    """The failure of a response of which nothing can be used; `most` tokens it could have."""
    details = response.provider_details or {}
    partial = (response.text or "")[:SHOWN] or None
    if response.finish_reason == "content_filter" or "refusal" in details:
        said = str(details.get("refusal") or response.text or "it gave no reason")
        return TurnResult.failed("error", f"the model refused: {said:.300}", partial)
    if response.finish_reason == "length":
        kind = "invalid-output" if most is None or most == WRITTEN else "budget"
        where = "" if most is None else f" after the {most} tokens that it may have"
        return TurnResult.failed(kind, f"its answer was cut off{where}", partial)
    if (size := _size(response)) > LONGEST:
        reason = f"its answer has {size} bytes, at most {LONGEST} are taken"
        return TurnResult.failed("invalid-output", reason, partial)
    return None


async def handled(
    turn: Turn,
    form: Wanted,
    calls: Calls,
    messages: Sequence[ModelMessage],
    state: Sequence[Json],
    response: ModelResponse,
    sequel: Sequel,
) -> TurnResult:
    """What the response leads to; its usage are the calls of tools that were answered.

    `messages` are those before it, `state` is them as they are saved; `sequel` is filled, and tells
    how far it came of one that is cut off.
    """
    called = [part for part in response.parts if isinstance(part, ToolCallPart)]
    others = [call for call in called if not form.is_final(call.tool_name)]
    said = (response.text or "").strip() if form.form != "native" else ""
    if said and turn.group and turn.group["pattern"] == "joint":
        sequel.posts.append({"text": said})
    output, fault = _output(form, response, called, sequel)
    for call in others:
        if output is None or call.tool_name == POST.name:
            await calls.handle(call, sequel)
    if output is not None:
        left = [call for call in others if call.tool_name != POST.name]
        requests = tuple({"tool": call.tool_name, "arguments": call.args} for call in left)
        return replace(TurnResult.done(output, posts=tuple(sequel.posts)), requests=requests)
    usage = {"tool_calls": sequel.read} if sequel.read else {}
    effects = tuple(sequel.effects)
    count = _corrections(messages) + bool(fault)
    if count > CORRECTIONS:
        reason = f"{fault}; it was told so {CORRECTIONS} times"
        partial = (response.text or "")[:SHOWN] or None
        posts = tuple(sequel.posts)
        return TurnResult.failed("invalid-output", reason, partial, usage, effects, posts=posts)
    kept = [*state, saved(repaired(response))]
    if sequel.parts:
        metadata = {COUNT: count} if fault else None
        kept.append(saved(ModelRequest(sequel.parts, metadata=metadata)))
    posts, requests = tuple(sequel.posts), tuple(sequel.requests)
    result = TurnResult.yields(kept, posts, requests, usage)
    return replace(result, effects=effects)


def _size(response: ModelResponse) -> int:
    texts = [part.content for part in response.parts if isinstance(part, TextPart)]
    texts += [arguments_of(p) for p in response.parts if isinstance(p, ToolCallPart)]
    return sum(len(text.encode()) for text in texts)


def _output(
    form: Wanted, response: ModelResponse, called: Sequence[ToolCallPart], sequel: Sequel
) -> tuple[Mapping[str, Json] | None, str]:
    """The output, if the response holds one that will do, else what is wrong with what it holds.

    The model is told that by the sequel. A response that only calls other tools holds none.
    """
    found = ""
    for call in called:
        if form.is_final(call.tool_name):
            output, found = _read(form, arguments_of(call))
            if not found:
                return output, ""
            sequel.parts.append(answer(call, found, "retried"))
    if called:
        return None, found
    text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    output, found = _read(form, text)
    if found:
        sequel.parts.append(UserPromptPart(f"{found}. {form.task()}"))
    return output, found


def _read(form: Wanted, text: str) -> tuple[Mapping[str, Json] | None, str]:
    try:
        output = form.read(text)
    except AnswerError as error:
        return None, str(error)
    fault = form.fault(output)
    return (None if fault else output), fault


def _corrections(messages: Sequence[ModelMessage]) -> int:
    """How often the agent has been corrected: the last correction says it."""
    for message in reversed(messages):
        if isinstance(message, ModelRequest) and message.metadata:
            return int(message.metadata[COUNT])
    return 0
