"""Budgets and limits of a run, from the manifest to what was spent."""

from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., Any]

SPENDER = {
    "spend.py": """
from forge_cli.multiagent.turn import TurnResult


def spend(turn):
    return TurnResult.done({"result": 1}, usage={"model_calls": turn.inputs["calls"]})
"""
}


def roles(max_usage: int, budget: str = "") -> str:
    return f"""
roles:
  spender:
    capabilities: []
    {budget}
    handler: {{kind: function, call: "spend.py:spend", max_usage: {{model_calls: {max_usage}}}}}
"""


def test_of_three_that_ask_for_nine_of_ten_the_first_is_granted_and_the_others_denied(
    run: Run,
) -> None:
    ran = run(
        """
budget: {model_calls: 10}
work_items:
  all:
    pattern: parallel
    sub_tasks:
      a: {role: spender, with: {calls: 9}, budget: {model_calls: 9}, required: false}
      b: {role: spender, with: {calls: 9}, budget: {model_calls: 9}, required: false}
      c: {role: spender, with: {calls: 9}, budget: {model_calls: 9}, required: false}
"""
        + roles(9),
        files=SPENDER,
    )
    statuses = ran.statuses()
    assert [statuses[f"all.{name}"] for name in "abc"] == ["succeeded", "denied", "denied"]
    assert not ran.events("turn_started", "all.b")
    assert ran.items["all.b"]["reason"] == "it needs 9 model_calls, 1 are left"


def test_usage_beyond_the_slice_is_settled_and_fails_the_item(run: Run) -> None:
    ran = run(
        """
work_items:
  one: {role: spender, with: {calls: 3}}
"""
        + roles(2),
        files=SPENDER,
    )
    assert ran.items["one"]["kind"] == "budget"
    assert ran.document("run.json")["budgets"]["run"]["spent"] == {"model_calls": 3}


def test_what_was_not_used_comes_back(run: Run) -> None:
    ran = run(
        """
budget: {model_calls: 10}
work_items:
  one: {role: spender, with: {calls: 1}, budget: {model_calls: 9}}
  two: {role: spender, with: {calls: 9}, budget: {model_calls: 9}, depends_on: [one]}
"""
        + roles(9),
        files=SPENDER,
    )
    assert ran.code == 0
    assert ran.document("run.json")["budgets"]["run"]["spent"] == {"model_calls": 10}


def test_a_roles_budget_holds_each_of_its_items(run: Run) -> None:
    ran = run(
        """
work_items:
  one: {role: spender, with: {calls: 1}, budget: {model_calls: 1}}
  two: {role: spender, with: {calls: 2}, depends_on: [one]}
"""
        + roles(1, "budget: {model_calls: 2}"),
        files=SPENDER,
    )
    assert ran.statuses()["one"] == "succeeded"
    assert ran.items["two"]["kind"] == "budget"
    assert ran.document("run.json")["budgets"]["item:two"]["granted"] == {"model_calls": 2}


TWO = """
settings: {max_concurrency: 2}
work_items:
  a: {run: ["true"], capabilities: []}
"""


def test_jobs_lower_the_limit_of_the_manifest(run: Run) -> None:
    ran = run(TWO, "--jobs", "1")
    assert ran.document("plan.json")["max_concurrency"] == 1


def test_jobs_cannot_raise_it_and_both_are_named(run: Run) -> None:
    ran = run(TWO, "--jobs", "3")
    assert ran.code == 2
    assert "--jobs is 3, the manifest's max_concurrency is 2" in ran.said


def test_the_environment_sets_a_limit_that_the_manifest_leaves_out(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORGE_MAX_CONCURRENCY", "9")
    ran = run(TWO.replace("settings: {max_concurrency: 2}", ""))
    assert ran.document("plan.json")["max_concurrency"] == 9


def test_the_environment_cannot_raise_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORGE_MAX_CONCURRENCY", "9")
    ran = run(TWO)
    assert ran.code == 2
    assert "FORGE_MAX_CONCURRENCY is 9, the manifest's max_concurrency is 2" in ran.said


def test_a_handler_that_tells_nothing_and_may_use_nothing_has_used_nothing(run: Run) -> None:
    ran = run(
        """
budget: {model_calls: 4}
work_items:
  one: {role: quiet, budget: {model_calls: 2}}
roles:
  quiet: {capabilities: [], handler: {kind: function, call: "quiet.py:quiet"}}
""",
        files={"quiet.py": "def quiet(turn):\n    return 1\n"},
    )
    assert ran.document("run.json")["budgets"]["run"]["spent"] == {}
    assert "calls" not in ran.err.splitlines()[-1]
