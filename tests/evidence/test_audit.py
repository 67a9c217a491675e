"""Evidence that was rewritten consistently: chained anew, and still not what the machine did."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forge_cli.evidence.layout import EVENTS, Placement
from forge_cli.evidence.log import BrokenLogError, Log
from forge_cli.evidence.verify import verify
from forge_cli.gateway.patience import UNDECIDED
from forge_cli.ledger import durable
from forge_cli.ledger.lines import GENESIS, seal
from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Contract, Deadline, Grant, Plan
from forge_cli.multiagent.turn import Turn, TurnResult

Forge = Callable[[Plan, list[Event]], dict[str, list[str]]]


@pytest.fixture
def forge(world: Any) -> Forge:
    """Writes a log of these events, chained as it must be; gives the sentences of failed checks."""

    def write(plan: Plan, events: list[Event]) -> dict[str, list[str]]:
        folder: Path = world.write(plan, [])[0]
        placement = Placement()
        for event in events:
            placement.add(event)
        for name, digest in placement.files():
            durable.write(folder / name, [world.artifacts.get(digest)])
        lines = (line.text + "\n" for line in seal(events, 1, GENESIS))
        (folder / EVENTS).write_text("".join(lines))
        found: dict[str, list[str]] = {}
        for check in verify(folder):
            if not check.ok:
                found.setdefault(check.name, []).append(check.sentence)
        # These follow from a log that run.json was not written for.
        return {name: sentences for name, sentences in found.items() if name != "run"}

    return write


def altered(events: list[Event], kind: str, item: str = "", **body: Any) -> list[Event]:
    """The events with other values in the body of the first of that kind and item."""
    position = next(i for i, e in enumerate(events) if e.kind == kind and item in ("", e.item))
    found = events[position]
    return [
        *events[:position],
        found._replace(body={**found.body, **body}),
        *events[position + 1 :],
    ]


@pytest.fixture
def without() -> Callable[..., list[Event]]:
    return lambda events, kind: [event for event in events if event.kind != kind]


def test_the_events_themselves_are_in_order(forge: Forge, plan: Plan, events: list[Event]) -> None:
    assert forge(plan, events) == {}


def test_a_log_without_an_end_is_found(forge: Forge, plan: Plan, events: list[Event]) -> None:
    assert forge(plan, events[:-1])["end"] == [
        "events.jsonl:21: the log ends with item_ended, not with the run's end"
    ]


def test_events_after_the_end_are_found(forge: Forge, plan: Plan, events: list[Event]) -> None:
    more = Event(events[-1].time, "run_stopping", body={"signal": "SIGINT"})
    (sentence,) = forge(plan, [*events, more])["chain"]
    assert sentence.startswith("events.jsonl:23: it cannot follow the events before")


def test_a_status_that_was_improved_is_found(forge: Forge, plan: Plan, events: list[Event]) -> None:
    found = forge(plan, altered(events, "run_ended", status="complete"))
    assert found["decisions"] == [
        (
            "events.jsonl:22: run_ended was recorded with status 'complete', "
            "the machine decides 'degraded'"
        )
    ]


def test_a_decision_that_was_left_out_is_found(
    forge: Forge, plan: Plan, events: list[Event], without: Callable[..., list[Event]]
) -> None:
    assert "decisions" in forge(plan, without(events, "item_opened"))


def test_a_decision_that_came_later_than_it_was_due_is_found(
    forge: Forge, world: Any, make_plan: Any, make_item: Any
) -> None:
    plan = make_plan(make_item("a"), make_item("b"))
    started, a, b, *rest = one_turn_each(world, plan)
    late = b._replace(time=rest[0].time)
    assert forge(plan, [started, a, rest[0], late, *rest[1:]])["decisions"][0] == (
        "events.jsonl:3: the machine decides turn_started of 'b' before turn_ended of 'a'"
    )


def test_a_decision_that_the_machine_does_not_make_is_found(
    forge: Forge, world: Any, make_plan: Any, make_item: Any
) -> None:
    plan = make_plan(make_item("a"))
    started, a, *rest = one_turn_each(world, plan)
    body = {"kind": "cancelled", "reason": "nobody knows"}
    cancelled = Event(a.time, "turn_cancelled", "a", a.attempt, body)
    assert forge(plan, [started, a, cancelled, *rest])["decisions"] == [
        "events.jsonl:3: turn_cancelled of 'a' was recorded, the machine decides nothing here"
    ]


def test_a_decision_at_another_time_than_it_was_made_is_found(
    forge: Forge, world: Any, make_plan: Any, make_item: Any
) -> None:
    plan = make_plan(make_item("a"), make_item("b"))
    started, a, b, *rest = one_turn_each(world, plan)
    assert forge(plan, [started, a, b._replace(time=b.time + 1), *rest])["decisions"] == [
        "events.jsonl:3: turn_started of 'b' has another time than the machine's decision"
    ]


def test_inputs_that_a_turn_did_not_get_are_found(
    forge: Forge, plan: Plan, events: list[Event]
) -> None:
    found = forge(plan, altered(events, "turn_started", "build", inputs={"notes": []}))
    assert "turn_started of 'build' was recorded with inputs {'notes': []}" in found["decisions"][0]


def test_a_plan_that_was_not_run_is_found(forge: Forge, plan: Plan, events: list[Event]) -> None:
    other = f"sha256:{'0' * 64}"
    (sentence,) = forge(plan, altered(events, "run_started", plan=other))["chain"]
    assert sentence == f"events.jsonl:1: the run was of plan {other}, plan.json is {plan.digest}"


def test_an_event_without_what_its_kind_must_say_is_found(
    forge: Forge, plan: Plan, events: list[Event]
) -> None:
    first = events[0]._replace(body={"run": "r-1"})
    (sentence,) = forge(plan, [first, *events[1:]])["chain"]
    assert (
        sentence == "events.jsonl:1: a 'run_started' event must say 'deadline', this one does not"
    )


def test_an_unknown_kind_of_event_is_found(forge: Forge, plan: Plan, events: list[Event]) -> None:
    more = Event(events[0].time, "item_blessed")
    (sentence,) = forge(plan, [events[0], more, *events[1:]])["chain"]
    assert sentence == "events.jsonl:2: 'item_blessed' is no kind of event that this forge knows"


def test_a_time_that_falls_is_found(forge: Forge, plan: Plan, events: list[Event]) -> None:
    early = events[5]._replace(time=events[0].time - 1)
    (sentence,) = forge(plan, [*events[:5], early, *events[6:]])["chain"]
    assert sentence == "events.jsonl:6: its time is before that of the event before"


def test_a_sender_that_was_not_asked_is_found(
    forge: Forge, plan: Plan, events: list[Event]
) -> None:
    (sentence,) = forge(plan, altered(events, "turn_ended", "build", sender="worker#scan"))["chain"]
    assert "'worker#scan' was not asked, 'worker#build' was" in sentence


def test_a_result_that_breaks_its_contract_and_was_accepted_is_found(
    forge: Forge, plan: Plan, events: list[Event]
) -> None:
    accepted = {"accepted": True, "reason": ""}
    changed = altered(
        events, "turn_ended", "choose.one", output={"value": 1, "risk": "none"}, verdict=accepted
    )
    (sentence,) = forge(plan, changed)["acceptance"]
    assert "the result of 'choose.one' was accepted, and risk 'none' is not one of" in sentence


def test_a_result_that_keeps_its_contract_and_was_rejected_is_found(
    forge: Forge, plan: Plan, events: list[Event]
) -> None:
    rejected = {"accepted": False, "reason": "no reason"}
    found = forge(plan, altered(events, "turn_ended", "choose.one", verdict=rejected))
    assert found["acceptance"] == [
        (
            "events.jsonl:6: the result of 'choose.one' was rejected (no reason), "
            "and it meets its contract"
        )
    ]


def test_evidence_with_another_digest_is_found(
    forge: Forge, plan: Plan, events: list[Event]
) -> None:
    verdict = {"accepted": True, "reason": "", "evidence": {"notes": f"sha256:{'0' * 64}"}}
    (sentence,) = forge(plan, altered(events, "turn_ended", "research", verdict=verdict))[
        "acceptance"
    ]
    assert "its evidence 'notes' has another digest" in sentence


def one_turn(world: Any, plan: Plan, name: str = "greet", **usage: int) -> list[Event]:
    def answer(turn: Turn) -> TurnResult:
        return TurnResult.done(dict.fromkeys(turn.grant.outputs, "x"), usage=usage)

    found: list[Event] = world.events(plan, {name: answer})
    return found


@pytest.mark.parametrize(
    ("grant", "sentence"),
    [
        (
            Grant(frozenset({"read", "network"}), outputs=("result",)),
            "holds 'network', which 'role:worker' does not allow",
        ),
        (
            Grant(frozenset({"read"}), scope=("files:docs/**",), outputs=("result",)),
            "may touch 'files:docs/**', which 'role:worker' does not cover (it reaches 'docs/x')",
        ),
        (
            Grant(frozenset({"read"}), writes=("files:.git/config",), outputs=("result",)),
            "may touch 'files:.git/config', which 'run' does not cover (it reaches '.git/config')",
        ),
        (
            Grant(frozenset({"read"}), outputs=("secret",)),
            "has the output 'secret', which 'role:worker' does not have",
        ),
    ],
)
def test_a_grant_beyond_a_link_of_its_chain_is_found(
    forge: Forge, world: Any, make_plan: Any, make_item: Any, grant: Grant, sentence: str
) -> None:
    plan = make_plan(make_item("greet", grant=grant))
    found = forge(plan, one_turn(world, plan))["contracts"]
    assert f"events.jsonl:2: the turn of 'greet' {sentence}" in found


def test_a_link_that_the_plan_does_not_have_is_found(
    forge: Forge, world: Any, make_plan: Any, make_item: Any
) -> None:
    plan = make_plan(make_item("greet", chain=("run", "delegation:lost")))
    assert forge(plan, one_turn(world, plan))["contracts"] == [
        (
            "events.jsonl:2: the turn of 'greet' has 'delegation:lost' in its chain, "
            "which plan.json does not have"
        )
    ]


def test_a_deadline_after_a_links_is_found(
    forge: Forge, world: Any, make_plan: Any, make_item: Any, plan: Plan
) -> None:
    run = replace(plan.contracts["run"], deadline=Deadline(within=60_000))
    late = make_plan(make_item("greet", chain=("run",)), contracts={"run": run})
    assert forge(late, one_turn(world, late))["contracts"] == [
        "events.jsonl:2: the turn of 'greet' has a deadline after that of 'run'"
    ]


def test_a_slice_beyond_a_links_budget_is_found(
    forge: Forge, world: Any, make_plan: Any, make_item: Any
) -> None:
    link = Contract("delegation:d", "run", "worker", budget=Budget(model_calls=1))
    plan = make_plan(
        make_item("greet", chain=("delegation:d",), budget=Budget(model_calls=2)),
        contracts={"delegation:d": link},
    )
    assert forge(plan, one_turn(world, plan, model_calls=1))["contracts"] == [
        "events.jsonl:2: the turn of 'greet' may use 2 model_calls, 'delegation:d' allows 1"
    ]


def test_a_turn_by_another_role_version_is_found(
    forge: Forge, world: Any, make_plan: Any, make_item: Any
) -> None:
    plan = make_plan(make_item("greet"))
    found = forge(plan, altered(one_turn(world, plan), "turn_started", role="worker@2"))
    assert found["contracts"] == [
        "events.jsonl:2: the turn of 'greet' is by 'worker@2', the plan gives it to 'worker@1'"
    ]


def test_a_longer_timeout_is_found(
    forge: Forge, world: Any, make_plan: Any, make_item: Any
) -> None:
    plan = make_plan(make_item("greet", timeout=1000))
    found = forge(plan, altered(one_turn(world, plan), "turn_started", timeout=2000))
    assert found["contracts"] == [
        "events.jsonl:2: the turn of 'greet' may take 2000 ms, its item 1000 ms"
    ]


def test_a_budget_that_is_overspent_by_all_together_is_found(
    forge: Forge, world: Any, make_plan: Any, make_item: Any
) -> None:
    """The machine refuses such a reservation, so the log breaks there as well."""
    plan = make_plan(make_item("greet", budget=Budget(model_calls=3)), make_item("other"))
    changed = altered(one_turn_each(world, plan), "turn_started", "other", slice={"model_calls": 9})
    assert any(
        "reserved beyond the grant" in sentence for sentence in forge(plan, changed)["chain"]
    )


def one_turn_each(world: Any, plan: Plan) -> list[Event]:
    def answer(turn: Turn) -> TurnResult:
        return TurnResult.done({"result": "x"}, usage={"model_calls": 2} if turn.budget else None)

    found: list[Event] = world.events(plan, dict.fromkeys(plan.items, answer))
    return found


def test_a_line_that_follows_another_than_the_one_before_is_found(events: list[Event]) -> None:
    first, second, *_ = seal(events, 1, GENESIS)
    log = Log()
    log.take(first)
    with pytest.raises(BrokenLogError, match="it follows an event with digest sha256:0, the one"):
        log.take(second._replace(prev="sha256:0"))


def test_accepted_without_the_digest_of_evidence_that_is_due_is_found(
    forge: Forge, plan: Plan, events: list[Event]
) -> None:
    verdict = {"accepted": True, "reason": "", "evidence": {}}
    found = forge(plan, altered(events, "turn_ended", "research", verdict=verdict))
    assert "its evidence 'notes' has no digest" in found["acceptance"][0]


def test_what_took_too_long_to_judge_is_not_judged_again(
    forge: Forge, plan: Plan, events: list[Event]
) -> None:
    verdict = {"accepted": False, "reason": f"the criterion {UNDECIDED} within 5 s"}
    found = forge(plan, altered(events, "turn_ended", "choose.one", verdict=verdict))
    assert "acceptance" not in found


def test_a_deadline_after_the_runs_is_found(
    forge: Forge, world: Any, make_plan: Any, make_item: Any
) -> None:
    plan = make_plan(make_item("greet"))
    late = altered(one_turn(world, plan), "turn_started", deadline="2099-01-01T00:00:00.000Z")
    assert "has a deadline after the run's" in forge(plan, late)["contracts"][0]


def test_a_deadline_after_its_items_is_found(
    forge: Forge, world: Any, make_plan: Any, make_item: Any
) -> None:
    plan = make_plan(make_item("greet", deadline=Deadline(within=60_000)))
    late = altered(one_turn(world, plan), "turn_started", deadline="2026-11-30T14:15:00.000Z")
    assert forge(plan, late)["contracts"] == [
        "events.jsonl:2: the turn of 'greet' has a deadline after its item's"
    ]


@pytest.mark.parametrize(
    ("depth", "sentence"),
    [
        (500, "was accepted, and it cannot be judged again: RecursionError("),
        (100_000, "maximum recursion depth exceeded"),
    ],
)
def test_a_kept_value_that_is_nested_too_deeply_is_a_finding(
    forge: Forge, world: Any, make_plan: Any, make_item: Any, depth: int, sentence: str
) -> None:
    plan = make_plan(make_item("greet"))
    kept = world.artifacts.put(b"[" * depth + b"]" * depth)
    output = {"result": {"artifact": kept, "bytes": 2 * depth}}
    (found,) = forge(plan, altered(one_turn(world, plan), "turn_ended", output=output))[
        "acceptance"
    ]
    assert sentence in found
