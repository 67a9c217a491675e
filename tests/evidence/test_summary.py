import gc
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from forge_cli.evidence.garbage import uncollected
from forge_cli.evidence.interventions import Interventions
from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Json, Plan, StateKey
from forge_cli.multiagent.turn import Turn, TurnResult
from tests.evidence.summaries import summarise


@pytest.fixture
def summary(plan: Plan, events: list[Event]) -> dict[str, Json]:
    return summarise(plan, events)


def test_it_says_how_the_run_ended(summary: dict[str, Json]) -> None:
    run = summary["run"]
    assert (run["id"], run["status"], run["missing"]) == ("r-1", "degraded", [])
    assert run["inputs"] == {"who": "Zoë"}
    assert run["outputs"]["built"]["bytes"] == 300_002


def test_it_says_which_sandbox_held_the_run(plan: Plan, events: list[Event]) -> None:
    first = events[0]._replace(body={**events[0].body, "sandbox": "off, not enforced"})
    assert summarise(plan, [first, *events[1:]])["run"]["sandbox"] == "off, not enforced"


def test_it_says_who_did_each_item_and_how_it_ended(summary: dict[str, Json]) -> None:
    rows = {name: (row["status"], row.get("role")) for name, row in summary["items"].items()}
    assert rows == {
        "research": ("succeeded", "worker@1"),
        "build": ("succeeded", "worker@1"),
        "scan": ("succeeded", None),
        "scan.0": ("succeeded", "worker@1"),
        "scan.1": ("failed", "worker@1"),
        "choose": ("succeeded", None),
        "choose.one": ("succeeded", "worker@1"),
        "choose.two": ("succeeded", "worker@1"),
        "never": ("skipped", "worker@1"),
    }


def test_each_attempt_has_its_request_its_answer_and_what_the_engine_said(
    summary: dict[str, Json],
) -> None:
    first, second = summary["items"]["build"]["turns"]
    assert (first["attempt"], first["answer"], first["kind"]) == ("r-1/build/1", "failed", "error")
    assert first["message"] == "exit status 3"
    assert (second["attempt"], second["answer"], second["accepted"]) == (
        "r-1/build/2",
        "done",
        True,
    )
    assert second["sender"] == "worker#build"
    assert summary["messages"] == {"requests": 7, "correlated": 7, "unanswered": [], "ignored": []}


def test_each_state_version_has_its_writer_and_what_that_had_read(
    summary: dict[str, Json],
) -> None:
    assert summary["state_version"] == len(summary["state_versions"]) == 7
    assert summary["state_versions"][0] == {
        "version": 1,
        "item": "research",
        "attempt": "r-1/research/1",
        "read": 0,
    }


def test_budgets_are_granted_reserved_and_spent(summary: dict[str, Json]) -> None:
    assert summary["budgets"] == {
        "run": {"granted": {"model_calls": 10}, "reserved": {}, "spent": {"model_calls": 2}},
        "item:research": {
            "granted": {"model_calls": 4},
            "reserved": {},
            "spent": {"model_calls": 2},
        },
    }


def test_the_tree_of_delegations_has_elements_and_sub_tasks(summary: dict[str, Json]) -> None:
    assert summary["delegations"] == {
        "run": ["research", "build", "scan", "choose", "never"],
        "item:scan": ["scan.0", "scan.1"],
        "item:choose": ["choose.one", "choose.two"],
    }


def test_a_resolution_names_winner_reason_and_all_proposals(summary: dict[str, Json]) -> None:
    assert summary["resolutions"] == [
        {
            "item": "choose",
            "winner": "two",
            "value": "choose.two",
            "reason": "lowest_risk_then_evidence",
            "proposals": [
                {"agent": "one", "risk": "reversible", "evidence_count": 0},
                {"agent": "two", "risk": "reversible", "evidence_count": 1},
            ],
        }
    ]


def test_a_denial_is_listed_with_its_reason(world: Any, make_plan: Any, make_item: Any) -> None:
    plan = make_plan(make_item("big", budget=Budget(model_calls=11)))
    assert summarise(plan, world.events(plan, {}))["denials"] == [
        {"item": "big", "kind": "budget", "reason": "it needs 11 model_calls, 10 are left"}
    ]


def test_an_escalation_is_listed_and_the_run_pauses(
    world: Any, make_plan: Any, make_item: Any
) -> None:
    plan = make_plan(make_item("hard", then="escalate"))
    answer = TurnResult.failed("error", "cannot decide", partial={"half": 1})
    found = summarise(plan, world.events(plan, {"hard": lambda turn: answer}))
    assert found["run"]["status"] == "paused"
    assert found["escalations"] == [{"item": "hard", "kind": "error", "reason": "cannot decide"}]
    assert found["items"]["hard"]["partial"] == {"half": 1}


def test_a_conflict_is_listed_with_both_versions(
    world: Any, make_plan: Any, make_item: Any
) -> None:
    items = [make_item(name, return_key="shared") for name in ("one", "two")]
    plan = make_plan(*items, state={"shared": StateKey("worker")})

    def answer(turn: Turn) -> TurnResult:
        return TurnResult.done({"result": turn.item_id})

    found = summarise(plan, world.events(plan, {"one": answer, "two": answer}))
    (conflict,) = found["conflicts"]
    assert (conflict["item"], conflict["attempt"]) == ("two", "r-1/two/1")
    assert "in version 1, the turn had read version 0" in conflict["reason"]


def test_a_cancelled_turn_says_why(world: Any, make_plan: Any, make_item: Any) -> None:
    plan = make_plan(make_item("a"))
    started, a, ended, last = world.events(
        plan, {"a": lambda turn: TurnResult.failed("cancelled", "it was cancelled")}
    )
    stopping = Event(a.time, "run_stopping", body={"signal": "SIGINT"})
    why = {"kind": "cancelled", "reason": "the run got SIGINT"}
    cancelled = Event(a.time, "turn_cancelled", "a", a.attempt, why)
    end = last._replace(body={**last.body, "status": "interrupted"})
    found = summarise(plan, [started, a, stopping, cancelled, ended, end])
    assert found["run"]["status"] == "interrupted"
    assert found["items"]["a"]["turns"][0]["cancelled"] == "the run got SIGINT"


def test_an_ignored_response_is_listed(plan: Plan, events: list[Event]) -> None:
    last = events[-1]
    stray = Event(
        last.time, "response_ignored", "build", "r-1/build/9", {"sender": "x", "reason": "foreign"}
    )
    assert summarise(plan, [*events[:-1], stray, last])["messages"]["ignored"] == [
        {
            "attempt": "r-1/build/9",
            "time": "2026-11-30T14:12:04.007Z",
            "sender": "x",
            "reason": "foreign",
        }
    ]


def test_a_run_under_way_can_be_summed_up(plan: Plan, events: list[Event]) -> None:
    started = next(i for i, event in enumerate(events) if event.kind == "turn_started")
    found = summarise(plan, events[: started + 1])
    assert found["run"]["status"] == ""
    assert found["messages"]["unanswered"] == [events[started].attempt]


def test_forges_own_fields_hold_no_fractions(plan: Plan, events: list[Event]) -> None:
    own = json.loads(json.dumps(summarise(plan, events)))
    for row in own["items"].values():
        row.pop("output", None)
    assert [value for value in leaves(own) if isinstance(value, float)] == []


def leaves(value: Json) -> Iterator[Json]:
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from leaves(inner)
    else:
        yield value


def test_it_follows_from_plan_and_events_alone(plan: Plan, events: list[Event]) -> None:
    assert summarise(plan, events) == summarise(replace(plan), iter(events))


def test_a_run_of_recorded_results_says_so(plan: Plan, events: list[Event]) -> None:
    first = events[0]._replace(body={**events[0].body, "mock": "sha256:1"})
    assert summarise(plan, [first, *events[1:]])["run"]["mock"] == "sha256:1"


def test_what_is_declined_without_having_been_asked_for_answers_no_request() -> None:
    added = Interventions()
    added.add(Event(0, "item_decided", "a", "", {"decision": "deny", "by": "ann"}))
    assert added.approvals == []
    assert [row["decision"] for row in added.decisions] == ["deny"]


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()
