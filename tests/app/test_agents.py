"""What agents need here, and what their calls may cost where that is limited."""

import math
from typing import Any

import pytest

from forge_cli.app import agents
from forge_cli.app.agents import lacking, priced, priced_as
from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.plan import Handler, Plan, Role

KEYED = {"model": "openai:gpt-5", "api_key": "OPENAI_API_KEY"}
SERVED = {"model": "mine", "base_url": "http://127.0.0.1:8080/v1"}
COSTLY = Budget(cost_usd=1_000_000)


def plan(config: dict[str, Any], budget: Budget | None = None) -> Plan:
    """A plan with one agent of that configuration."""
    usage = Budget(model_calls=1, tokens=208_192)
    role = Role("judge", 1, frozenset(), (), (), Handler("agent", config, max_usage=usage))
    return Plan("p", "0.0.0", {}, {"judge": role}, {}, budget=budget or Budget())


def test_an_agent_with_a_key_or_a_server_lacks_nothing() -> None:
    assert lacking(plan(KEYED, COSTLY)) == []
    assert lacking(plan(SERVED)) == []


@pytest.mark.parametrize(
    ("config", "budget", "words"),
    [
        ({"model": "openai:gpt-5"}, None, "names no key of openai; write  api_key: OPENAI_API_KEY"),
        ({"model": "groq:x"}, None, "'groq:x' is none of openai:<name> or anthropic:<name>;"),
        (SERVED, COSTLY, "the model 'mine', whose price is not known, and cost is limited;"),
    ],
)
def test_what_an_agent_lacks_is_told(
    config: dict[str, Any], budget: Budget | None, words: str
) -> None:
    (sentence,) = lacking(plan(config, budget))
    assert sentence.startswith("role 'judge'")
    assert words in sentence


def test_missing_packages_are_told_with_what_installs_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents, "PACKAGES", ("json", "no_such_package"))
    (sentence,) = lacking(plan(KEYED))
    assert sentence.startswith("agents need 'no-such-package', not installed here; type: pip inst")


def test_a_call_has_a_price_where_cost_is_limited() -> None:
    cost = 200_000 * 1.25 + 8_192 * 10
    found = priced(plan(KEYED, COSTLY))
    usage = found.roles["judge"].handler.max_usage
    assert usage == Budget(model_calls=1, tokens=208_192, cost_usd=math.ceil(cost))
    assert found.digest.startswith("sha256:")


def test_a_plan_without_a_limit_of_cost_is_left_as_it_is() -> None:
    made = plan(KEYED)
    assert priced(made) is made


def test_a_plan_made_anew_has_the_prices_of_the_one_before() -> None:
    made = plan(KEYED, COSTLY)
    assert priced_as(made, priced(made)) == priced(made)
    assert priced_as(made, made) is made
