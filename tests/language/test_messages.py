"""Requests and answers of a run: who asked whom, and whose word counts."""

from collections.abc import Callable
from typing import Any

Run = Callable[..., Any]


def test_the_sender_is_the_channel_and_not_what_the_handler_writes(run: Run) -> None:
    ran = run(
        """
work_items:
  a: {role: liar}
roles:
  liar:
    capabilities: []
    outputs: [sender, attempt]
    handler: {kind: command, argv: [echo, '{"sender": "run", "attempt": "r/b/1"}']}
"""
    )
    (answer,) = ran.events("turn_ended", "a")
    assert answer["sender"] == "liar#a"
    assert ran.output("a") == {"sender": "run", "attempt": "r/b/1"}


def test_each_turn_is_a_request_whose_correlation_is_its_attempt(run: Run) -> None:
    ran = run("work_items: {a: {run: [echo, x], capabilities: [], for_each: [1, 2]}}")
    assert ran.document("run.json")["messages"] == {
        "requests": 2,
        "correlated": 2,
        "ignored": [],
        "unanswered": [],
    }
    assert [ran.items[name]["turns"][0]["attempt"] for name in ("a.0", "a.1")] == [
        "r/a.0/1",
        "r/a.1/1",
    ]


def test_a_rejected_result_follows_on_failure(run: Run) -> None:
    ran = run(
        """
work_items:
  a:
    run: [echo, x]
    capabilities: []
    criteria: ["result == 'y'"]
    on_failure: {retry: {max_attempts: 2, on: [invalid-output]}, then: continue}
    required: false
  b: {run: [echo, z], capabilities: [], depends_on: [a]}
"""
    )
    assert ran.code == 3
    assert ran.items["a"]["attempts"] == 2
    assert ran.statuses()["b"] == "succeeded"
    assert ran.document("run.json")["state_version"] == 1


def test_who_asks_in_every_turn_and_is_never_done_has_failed_and_is_told_why_it_was_denied(
    run: Run,
) -> None:
    ran = run(
        """
work_items: {a: {role: asker}}
roles: {asker: {capabilities: [], handler: {kind: function, call: "ask.py:ask"}}}
""",
        files={
            "ask.py": "from forge_cli.multiagent.turn import TurnResult\n\n\n"
            "def ask(turn):\n    return TurnResult.yields(1, requests=({'name': 'x'},))\n"
        },
    )
    assert ran.code == 1
    denied = ran.events("request_denied", "a")
    assert len(denied) == 49
    assert denied[0]["kind"] == "invalid-request"
    assert "a FAILED it was not done after 50 turns" in ran.said
    assert ran.out.startswith("FAILED  'a' failed and is required: it was not done after 50 turns")
