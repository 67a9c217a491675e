"""More children than a budget has room for: who starts, what returns, who decides."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

TEAM = {
    "team.py": """
from forge_cli.multiagent.turn import TurnResult


def lead(turn):
    if turn.number == 1:
        ask = {"name": "spender", "capabilities": [], "budget": {"model_calls": 9}}
        calls = [{"tool": "delegate_subagent", "arguments": {**ask, "task": t}} for t in "abc"]
        return TurnResult.yields(None, requests=tuple(calls))
    parts = [each["output"] for each in turn.answers if each["status"] == "succeeded"]
    lacks = len(turn.answers) - len(parts)
    return TurnResult.failed("error", f"{lacks} parts are not there", {"parts": parts})


def spend(turn):
    return TurnResult.done({"result": turn.purpose}, usage={"model_calls": 9})
"""
}
MANIFEST = """
budget: {model_calls: 10}
roles:
  lead:
    capabilities: []
    outputs: [parts]
    delegates: {to: [spender]}
    handler: {kind: function, call: "team.py:lead"}
  spender:
    capabilities: []
    handler: {kind: function, call: "team.py:spend", max_usage: {model_calls: 9}}
work_items:
  all: {role: lead, on_failure: return-partial-and-escalate}
  after: {run: [echo, "${items.all.outputs.parts}"], capabilities: []}
  beside: {run: [echo, done], capabilities: []}
"""


@pytest.fixture
def ran(run: Run) -> Any:
    """Three children that ask for 9 of 10 calls each."""
    return run(MANIFEST, files=TEAM)


def test_what_the_reservation_of_its_parent_does_not_hold_is_denied_and_never_starts(
    ran: Any,
) -> None:
    denied = ran.events("request_denied", "all")
    assert [each["kind"] for each in denied] == ["budget", "budget"]
    assert [each["left"] for each in denied] == [{"model_calls": 1}] * 2
    assert [name for name in ran.items if name.startswith("all.")] == ["all.child-1-1"]


def test_who_asked_is_given_what_the_others_came_to(ran: Any) -> None:
    assert ran.items["all"]["partial"] == {"parts": [{"result": "a"}]}
    assert ran.items["all"]["reason"] == "2 parts are not there"


def test_a_partial_result_is_no_output_of_its_item(ran: Any) -> None:
    assert "output" not in ran.items["all"]
    assert ran.statuses()["after"] == "waiting"
    written = [version["item"] for version in ran.document("run.json")["state_versions"]]
    assert "all" not in written


def test_the_run_escalates_and_what_does_not_hang_on_it_goes_on(ran: Any) -> None:
    assert ran.code == 4
    assert ran.statuses()["beside"] == "succeeded"
    (escalation,) = ran.document("run.json")["escalations"]
    assert escalation == {"item": "all", "kind": "error", "reason": "2 parts are not there"}


def test_no_call_is_spent_on_what_was_denied(ran: Any) -> None:
    budget = ran.document("run.json")["budgets"]["run"]
    assert (budget["spent"], budget["reserved"]) == ({"model_calls": 9}, {})


def test_a_person_goes_on_with_what_there_is(
    ran: Any, forge: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "parts.json").write_text('{"parts": [{"result": "a"}]}', "utf-8")
    assert forge("resume", "r", "--accept", "all", "parts.json")[0] == 0
    assert ran.output("after") == {"result": '{"result":"a"}'}
