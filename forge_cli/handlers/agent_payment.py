"""How model calls are paid: what one may use before it is made, and what it used afterwards."""

import json
from collections.abc import Sequence

from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.usage import RequestUsage

from forge_cli.handlers.agent_messages import saved
from forge_cli.handlers.agent_models import Prices
from forge_cli.handlers.agent_settings import WRITTEN
from forge_cli.multiagent.turn import Turn

LEAST = 16
"""Tokens to write below which no call is worth making."""

OVERHEAD = 1_000
"""Tokens that a provider may add to a request of its own accord."""


class BudgetError(Exception):
    """The slice does not hold the next call; the text is a sentence with both figures."""


def bound(messages: Sequence[ModelMessage], parameters: ModelRequestParameters) -> int:
    """No fewer tokens than a request with these messages is read as.

    What the last response was told to have cost is known; of what is new a token is at least a
    byte of it.
    """
    known, new = 0, 0
    for message in reversed(messages):
        if isinstance(message, ModelResponse) and _is_known(message.usage):
            known = message.usage.input_tokens + message.usage.output_tokens
            break
        new += len(json.dumps(saved(message), ensure_ascii=False).encode())
    return known + new + OVERHEAD + (0 if known else _size(parameters))


def _size(parameters: ModelRequestParameters) -> int:
    tools = [*parameters.function_tools, *parameters.output_tools]
    texts = [f"{t.name}{t.description}{json.dumps(t.parameters_json_schema)}" for t in tools]
    texts += [part.content for part in parameters.instruction_parts or ()]
    if parameters.output_object is not None:
        texts.append(json.dumps(parameters.output_object.json_schema))
    return sum(len(text.encode(errors="replace")) for text in texts)


def allowance(turn: Turn, read: int, prices: Prices) -> int | None:
    """How many tokens the next call may write, None if nothing limits it.

    `read` are those that it reads at most. Raises `BudgetError` if the slice does not hold a call.
    """
    slice_ = turn.budget
    if slice_.get("model_calls", 1) < 1:
        raise BudgetError("it needs 1 model call, 0 are left to it")
    room: list[int] = []
    if "tokens" in slice_:
        _check(read + LEAST, slice_["tokens"], "tokens")
        room.append(slice_["tokens"] - read)
    if "cost_usd" in slice_:
        least, most = prices.ceiling(read, LEAST), prices.ceiling(read, WRITTEN)
        if least is None or most is None:
            raise BudgetError(
                f"the model {turn.handler.get('model', '')!r} has no price and its cost is limited;"
                " write  prices: {input: ..., output: ...}  in the handler"
            )
        _check(least, slice_["cost_usd"], "micro-dollars")
        beyond, each = slice_["cost_usd"] - least, max(most - least, 1) / (WRITTEN - LEAST)
        room.append(LEAST + int(beyond / each))
    return min(WRITTEN, *room) if room else None


def _check(needed: int, left: int, unit: str) -> None:
    if needed > left:
        raise BudgetError(f"its next call may need {needed} {unit}, {left} are left to it")


def usage_of(response: ModelResponse, prices: Prices) -> dict[str, int]:
    """What a call used, as far as its server says: what is missing is unknown."""
    usage = {"model_calls": 1}
    if _is_known(response.usage):
        usage["tokens"] = response.usage.input_tokens + response.usage.output_tokens
        if (cost := prices.cost(response.usage)) is not None:
            usage["cost_usd"] = cost
    return usage


def _is_known(usage: RequestUsage) -> bool:
    return usage.input_tokens > 0
