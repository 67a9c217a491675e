"""Evidence of runs that another controller went on with, and of what persons decided."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forge_cli.evidence import document
from forge_cli.evidence.checks import Check
from forge_cli.evidence.verify import verify
from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Item, Plan
from forge_cli.multiagent.turn import Turn, TurnResult
from tests.evidence.conftest import START, World

MakeItem = Callable[..., Item]
MakePlan = Callable[..., Plan]
NOBODY = "2026-11-30T14:12:04.000Z"


def done(turn: Turn) -> TurnResult:
    return TurnResult.done({"result": turn.item_id}, usage={"model_calls": 1})


def failed(turn: Turn) -> TurnResult:
    return TurnResult.failed("error", "exit status 1", usage={})


def resumed(epoch: int = 2, time: int = START + 1000) -> Event:
    return Event(time, "run_resumed", body={"epoch": epoch})


def decided(item: str, decision: str, **body: Any) -> Event:
    said = {"decision": decision, "by": "ann", **body}
    return Event(START + 1000, "item_decided", item, body=said)


def lost(item: str, attempt: str) -> Event:
    return Event(START + 1000, "turn_lost", item, attempt, {"reason": "its controller was lost"})


def faults(checks: list[Check]) -> list[str]:
    return [check.sentence for check in checks if not check.ok]


def run_of(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = document.parse((folder / "run.json").read_bytes())
    return found


@pytest.fixture
def crashed(world: World, make_item: MakeItem, make_plan: MakePlan) -> tuple[Plan, list[Event]]:
    """A plan whose second item is lost while it is in flight, and the events of going on."""
    budget = Budget(model_calls=4)
    first = make_item("a", budget=budget)
    plan = make_plan(first, make_item("b", budget=budget, depends_on=("a",)))
    whole = world.events(plan, {"a": done, "b": done})
    start = next(n for n, e in enumerate(whole) if e.kind == "turn_started" and e.item == "b")
    more = [resumed(), lost("b", "r-1/b/1")]
    return plan, world.go_on(plan, whole[: start + 1], more, {"b": done})


def test_a_resumed_run_is_verified(world: World, crashed: tuple[Plan, list[Event]]) -> None:
    folder, _ = world.write(*crashed)
    assert faults(verify(folder)) == []


def test_a_lost_turn_is_told_and_paid_by_nobody(
    world: World, crashed: tuple[Plan, list[Event]]
) -> None:
    folder, _ = world.write(*crashed)
    run = run_of(folder)
    assert run["run"]["status"] == "complete"
    assert run["events"]["format_version"] == 2
    assert run["controllers"] == [{"epoch": 2, "since": NOBODY}]
    assert run["items"]["b"]["turns"][0]["lost"] == "its controller was lost"
    assert run["budgets"]["run"]["spent"] == {"model_calls": 2}
    assert run["budgets"]["indeterminate"]["spent"] == {"model_calls": 4}
    assert run["messages"] == {"requests": 3, "correlated": 2, "unanswered": [], "ignored": []}


def test_a_run_without_interruptions_has_the_first_format(
    world: World, make_item: MakeItem, make_plan: MakePlan
) -> None:
    plan = make_plan(make_item("a"))
    folder, _ = world.write(plan, world.events(plan, {"a": done}))
    assert run_of(folder)["events"]["format_version"] == 1
    assert {"controllers", "decisions"}.isdisjoint(run_of(folder))


def test_a_turn_that_is_lost_twice_is_found(
    world: World, crashed: tuple[Plan, list[Event]]
) -> None:
    plan, events = crashed
    place = next(n for n, e in enumerate(events) if e.kind == "turn_lost")
    folder, _ = world.write(plan, [*events[: place + 1], events[place], *events[place + 1 :]])
    assert "cannot follow the events before" in faults(verify(folder))[0]


class TestDecisions:
    @pytest.fixture
    def approved(
        self, world: World, make_item: MakeItem, make_plan: MakePlan
    ) -> tuple[Plan, list[Event]]:
        plan = make_plan(make_item("a", approval=True))
        before = world.events(plan, {})
        seal = next(e.body["digest"] for e in before if e.kind == "item_sealed")
        more = [resumed(), decided("a", "approve", digest=seal)]
        return plan, world.go_on(plan, before, more, {"a": done})

    def test_an_approval_is_recorded_with_who_gave_it(
        self, world: World, approved: tuple[Plan, list[Event]]
    ) -> None:
        folder, _ = world.write(*approved)
        assert faults(verify(folder)) == []
        (approval,) = run_of(folder)["approvals"]
        assert approval["digest"].startswith("sha256:")
        assert approval["answer"] == {"decision": "approve", "by": "ann", "time": NOBODY}

    def test_an_approval_of_other_terms_is_found(
        self, world: World, approved: tuple[Plan, list[Event]]
    ) -> None:
        plan, events = approved
        other = "sha256:" + "0" * 64
        forged = [
            Event(e.time, e.kind, e.item, e.attempt, {**e.body, "digest": other})
            if "digest" in e.body
            else e
            for e in events
        ]
        folder, _ = world.write(plan, forged)
        assert any("the terms of 'a' have the digest sha256:" in f for f in faults(verify(folder)))

    def test_a_given_result_is_judged_again(
        self, world: World, make_item: MakeItem, make_plan: MakePlan
    ) -> None:
        plan = make_plan(make_item("a", then="escalate", criteria=("result == 'x'",)))
        before = world.events(plan, {"a": failed})
        verdict = {"accepted": True, "reason": ""}
        more = [resumed(), decided("a", "accept", output={"result": "y"}, verdict=verdict)]
        folder, _ = world.write(plan, world.go_on(plan, before, more, {}))
        assert run_of(folder)["items"]["a"]["status"] == "succeeded"
        assert ["was accepted, and criterion" in f for f in faults(verify(folder))] == [True]

    def test_what_is_given_as_an_artifact_lies_in_the_evidence(
        self, world: World, make_item: MakeItem, make_plan: MakePlan
    ) -> None:
        plan = make_plan(make_item("a", then="escalate"))
        before = world.events(plan, {"a": failed})
        kept = {"artifact": world.artifacts.put(b'"long"'), "bytes": 6}
        verdict = {"accepted": True, "reason": ""}
        more = [resumed(), decided("a", "accept", output={"result": kept}, verdict=verdict)]
        folder, _ = world.write(plan, world.go_on(plan, before, more, {}))
        assert (folder / "items" / "a" / "output" / "result.json").read_bytes() == b'"long"'
        assert faults(verify(folder)) == []

    def test_a_turn_beyond_a_narrowed_grant_is_found(
        self, world: World, make_item: MakeItem, make_plan: MakePlan
    ) -> None:
        plan = make_plan(make_item("a", then="escalate"))
        before = world.events(plan, {"a": failed})
        more = [resumed(), decided("a", "reissue", narrow={"scope": ["files:src/a/**"]})]
        events = world.go_on(plan, before, more, {"a": done})
        folder, _ = world.write(plan, events)
        assert faults(verify(folder)) == []
        (decision,) = run_of(folder)["decisions"]
        assert decision["narrow"] == {"scope": ["files:src/a/**"]}
        wider = decided("a", "reissue", narrow={"scope": ["files:**"]})
        forged = [wider if event.kind == "item_decided" else event for event in events]
        folder, _ = world.write(plan, forged, "forged")
        assert "scope would reach" in faults(verify(folder))[0]

    def test_bodies_can_be_left_out(
        self, world: World, make_item: MakeItem, make_plan: MakePlan
    ) -> None:
        item = make_item("a", then="escalate", approval=True, inputs={"word": "secret word"})
        plan = make_plan(item, evidence="digests")
        before = world.events(plan, {})
        seal = next(e.body["digest"] for e in before if e.kind == "item_sealed")
        more = [resumed(), decided("a", "approve", digest=seal)]
        events = world.go_on(plan, before, more, {"a": failed})
        verdict = {"accepted": True, "reason": ""}
        given = decided("a", "accept", output={"result": "secret word"}, verdict=verdict)
        again = resumed(3, events[-1].time)
        given = Event(again.time, given.kind, "a", body=given.body)
        folder, _ = world.write(plan, world.go_on(plan, events, [again, given], {}))
        assert faults(verify(folder)) == []
        assert b"secret word" not in (folder / "events.jsonl").read_bytes()


def test_a_result_that_is_taken_over_says_from_where(
    world: World, make_item: MakeItem, make_plan: MakePlan
) -> None:
    plan = make_plan(make_item("a"), make_item("b"))
    asked = make_plan(make_item("a", approval=True))
    seal = next(e.body["digest"] for e in world.events(asked, {}) if e.kind == "item_sealed")
    kept = {"run": "r-0", "attempt": "r-0/a/1", "output": {"result": "old"}, "evidence": {}}
    first = world.events(plan, {"a": done, "b": done})[0]
    reuse = {"a": {**kept, "digest": seal}}
    start = Event(START, "run_started", body={**first.body, "reuse": reuse})
    folder, _ = world.write(plan, world.go_on(plan, [], [start], {"b": done}))
    assert faults(verify(folder)) == []
    row = run_of(folder)["items"]["a"]
    assert row["reused"] == {"run": "r-0", "attempt": "r-0/a/1"}
    assert row["output"] == {"result": "old"}
