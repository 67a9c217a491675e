"""What an agent's calls may use, and what they used."""

import pytest
from pydantic_ai.messages import ModelResponse
from pydantic_ai.usage import RequestUsage

from forge_cli.handlers.agent_models import Prices
from forge_cli.handlers.agent_payment import usage_of
from forge_cli.handlers.context import HandlerContext
from forge_cli.multiagent.turn import Turn
from forge_cli.testing import a_turn
from tests.handlers.agents import MODEL, READS, Script, calls, run_turns, says, used


def test_usage_is_tokens_and_their_price(context: HandlerContext) -> None:
    handler = {"model": "openai:gpt-5", "prices": {"input": "0.80", "output": 4}}
    turn = a_turn(handler_kind="agent", handler=handler)
    (result,) = run_turns(context, Script((says("x", usage=used(1_000, 100)),)), turn)
    assert result.usage == {"model_calls": 1, "tokens": 1_100, "cost_usd": 1_200}


def test_usage_that_is_not_told_is_unknown() -> None:
    response = ModelResponse([], usage=RequestUsage())
    assert usage_of(response, Prices(MODEL)) == {"model_calls": 1}


def test_prices_are_known_for_common_models() -> None:
    assert Prices(MODEL).ceiling(1_000_000, 0) == 1_250_000


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        ({"model_calls": 0}, "it needs 1 model call, 0 are left to it"),
        ({"model_calls": 1, "tokens": 500}, "tokens, 500 are left to it"),
        ({"model_calls": 1, "cost_usd": 5}, "micro-dollars, 5 are left to it"),
    ],
)
def test_a_call_that_the_slice_does_not_hold_is_not_made(
    context: HandlerContext, budget: dict[str, int], message: str
) -> None:
    script = Script((says("fine"),))
    handler = {"model": "openai:gpt-5", "prices": {"input": 1, "output": 1}}
    turn = a_turn(handler_kind="agent", handler=handler, budget=budget)
    (result,) = run_turns(context, script, turn)
    assert (result.kind, result.usage, script.asked) == ("budget", {}, [])
    assert message in result.message


def test_what_may_be_written_fits_into_the_slice(context: HandlerContext) -> None:
    script = Script((says("fine"),))
    handler = {"model": "openai:gpt-5", "prices": {"input": 1, "output": 2}}
    turn = a_turn(handler_kind="agent", handler=handler, budget={"cost_usd": 4_000})
    run_turns(context, script, turn)
    most = (script.shown[0].model_settings or {})["max_tokens"]
    assert 16 < most < 2_000


def test_a_model_without_a_price_is_not_called_where_cost_is_limited(
    context: HandlerContext,
) -> None:
    script = Script((says("fine"),))
    handler = {"model": "mine", "base_url": "http://127.0.0.1:1/v1"}
    turn = a_turn(handler_kind="agent", handler=handler, budget={"cost_usd": 4_000_000})
    (result,) = run_turns(context, script, turn)
    assert (result.kind, script.asked) == ("budget", [])
    assert "'mine' has no price" in result.message


def test_tool_calls_are_limited_by_the_slice(context: HandlerContext, reading: Turn) -> None:
    call = ("read_file", {"path": "docs/a.md"})
    script = Script((calls(call, call), says("fine")))
    turn = a_turn(
        handler_kind="agent", handler=MODEL, grant=READS, budget={"model_calls": 9, "tool_calls": 1}
    )
    first, _ = run_turns(context, script, turn)
    assert (first.usage or {})["tool_calls"] == 1
    assert "this turn may call 1 tools" in script.told()
