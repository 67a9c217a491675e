"""The sum that verification makes of its own, on events that the machine's accounts let through."""

from dataclasses import replace
from typing import Any

import pytest

from forge_cli.evidence.budgets import Budgets
from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Plan
from forge_cli.multiagent.run_state import RunState
from forge_cli.multiagent.turn import Turn, TurnResult


def added_up(events: list[Event], tight: Plan, status: str = "running") -> list[str]:
    """What is found when events are held against the budgets of `tight`, whoever made them."""
    state = RunState(tight)
    state.apply(events[0])
    for node in state.nodes.values():
        node.status = status
    budgets = Budgets(state)
    for line, event in enumerate(events, start=1):
        budgets.check(event, line)
    return [check.sentence for check in budgets.faults.checks("") if not check.ok]


@pytest.fixture
def plan(make_plan: Any, make_item: Any) -> Plan:
    items = [make_item(name, budget=Budget(model_calls=3)) for name in ("a", "b")]
    made: Plan = make_plan(*items)
    return made


def run(world: Any, plan: Plan, used: int) -> list[Event]:
    def answer(turn: Turn) -> TurnResult:
        return TurnResult.done({"result": turn.item_id}, usage={"model_calls": used})

    found: list[Event] = world.events(plan, dict.fromkeys(plan.items, answer))
    return found


def test_what_every_limit_allows_is_right(world: Any, plan: Plan) -> None:
    assert added_up(run(world, plan, 3), plan) == []


def test_reservations_beyond_the_runs_budget_are_found(world: Any, plan: Plan) -> None:
    tight = replace(plan, budget=Budget(model_calls=5))
    assert added_up(run(world, plan, 3), tight) == [
        (
            "events.jsonl:3: with the turn of 'b' the run has spent or reserved 6 model_calls, "
            "its budget is 5"
        )
    ]


def test_a_slice_beyond_an_items_budget_is_found(world: Any, plan: Plan) -> None:
    item = replace(plan.items["a"], budget=Budget(model_calls=2))
    tight = replace(plan, items={**plan.items, "a": item})
    assert added_up(run(world, plan, 3), tight) == [
        (
            "events.jsonl:2: with the turn of 'a' the budget of 'a' has spent or reserved "
            "3 model_calls, its budget is 2"
        )
    ]


def test_what_comes_back_can_be_spent_again(world: Any, plan: Plan) -> None:
    one_by_one = replace(plan, max_concurrency=1)
    tight = replace(one_by_one, budget=Budget(model_calls=4))
    assert added_up(run(world, one_by_one, 1), tight) == []
    assert len(added_up(run(world, one_by_one, 2), tight)) == 1


def test_use_beyond_the_slice_must_not_have_been_accepted(world: Any, plan: Plan) -> None:
    events = run(world, plan, 4)
    assert added_up(events, plan, status="succeeded")[0] == (
        "events.jsonl:4: 'a' used 4 model_calls, its slice was 3, and it was accepted all the same"
    )
    assert added_up(events, plan, status="failed") == []
