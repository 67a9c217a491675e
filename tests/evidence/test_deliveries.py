"""Evidence of what sub-tasks told each other: who posted, and who was rightly given it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forge_cli.evidence.deliveries import Deliveries
from forge_cli.evidence.verify import verify
from forge_cli.multiagent.board import Board
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Json, Plan
from forge_cli.multiagent.run import Run
from forge_cli.multiagent.turn import Turn, TurnResult
from tests.evidence.summaries import summarise

CANARY = "canary-7f3a"


@pytest.fixture
def plan(make_plan: Callable[..., Plan], make_item: Callable[..., Any]) -> Plan:
    return make_plan(
        make_item("g", pattern="broadcast", role="", children=("g.a", "g.b"), channels=("x", "y")),
        make_item("g.a", parent="g", posts=("x",)),
        make_item("g.b", parent="g", listens=("x",)),
    )


@pytest.fixture
def answers() -> dict[str, Callable[[Turn], TurnResult]]:
    def a(turn: Turn) -> TurnResult:
        if turn.number == 3:
            return TurnResult.done({"result": 1}, posts=({"text": "late"},))
        post = {"text": f"{CANARY} {turn.number}", "tags": ["loud"]}
        return TurnResult.yields(None, (post, {"text": CANARY, "channel": "y"}))

    def b(turn: Turn) -> TurnResult:
        heard = [message.payload["text"] for message in turn.inbox]
        return TurnResult.yields(None) if turn.number < 2 else TurnResult.done({"result": heard})

    return {"g.a": a, "g.b": b}


@pytest.fixture
def events(world: Any, plan: Plan, answers: Any) -> list[Event]:
    found: list[Event] = world.events(plan, answers)
    return found


def sentences(plan: Plan, events: list[Event]) -> list[str]:
    run = Run(plan)
    deliveries = Deliveries(run.state)
    for line, event in enumerate(events, 1):
        run.apply(event)
        deliveries.check(event, line)
    return [check.sentence for check in deliveries.faults.checks("") if not check.ok]


def forged(events: list[Event], item: str, turn: int, **heard: Json) -> list[Event]:
    """The events, one turn of which was given something else."""
    return [
        event._replace(body={**event.body, "heard": {**event.body["heard"], **heard}})
        if event.kind == "turn_started" and (event.item, event.body["turn"]) == (item, turn)
        else event
        for event in events
    ]


def test_what_happened_is_right(plan: Plan, events: list[Event]) -> None:
    assert sentences(plan, events) == []


def test_a_message_that_is_given_twice_is_found(plan: Plan, events: list[Event]) -> None:
    found = sentences(plan, forged(events, "g.a", 3, after=0))
    assert found[0].endswith("the turn of 'g.a' is given what follows message 0, it had read 1")


def test_a_message_that_was_left_out_is_found(plan: Plan, events: list[Event]) -> None:
    found = sentences(plan, forged(events, "g.b", 1, after=1, upto=1))
    assert found[0].endswith("the turn of 'g.b' is given what follows message 1, it had read 0")


def test_messages_that_nobody_sent_are_found(plan: Plan, events: list[Event]) -> None:
    found = sentences(plan, forged(events, "g.b", 2, upto=9))
    assert "is given messages up to number 9, the board has 1" in found[0]


def test_a_message_to_somebody_else_is_found(
    plan: Plan, events: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Board, "hears", lambda self, member, post: True)
    assert "is given message 1, to which it does not listen" in sentences(plan, events)[0]


def second_turn(events: list[Event]) -> tuple[list[Event], Event]:
    """The events up to the start of the second turn of `g.b`, and that start."""
    start = [e for e in events if (e.kind, e.item) == ("turn_started", "g.b")][1]
    return events[: events.index(start) + 1], start


def again(start: Event, **heard: int) -> Event:
    """The same turn in another attempt."""
    body = {**start.body, "number": 2, "heard": {**start.body["heard"], **heard}}
    return start._replace(attempt="r-1/g.b/2", body=body)


def test_a_turn_that_is_made_again_with_something_else_is_found(
    plan: Plan, events: list[Event]
) -> None:
    before, start = second_turn(events)
    lost = Event(start.time, "turn_lost", "g.b", start.attempt, {"reason": "gone"})
    resumed = Event(start.time, "run_resumed", body={"epoch": 2})
    found = sentences(plan, [*before, resumed, lost, again(start, upto=0)])
    assert "is made again and given {'after': 0, 'upto': 0}, it was given" in found[0]


def test_a_turn_that_was_interrupted_is_given_the_same_when_it_is_made_again(
    plan: Plan, events: list[Event]
) -> None:
    before, start = second_turn(events)
    body = {"sender": "worker#g.b", "turn": 2, "usage": {}, "status": "failed"}
    cut = [
        Event(start.time, "run_stopping", body={"signal": "SIGINT"}),
        Event(
            start.time,
            "turn_ended",
            "g.b",
            start.attempt,
            body | {"kind": "cancelled", "message": "stopped"},
        ),
        Event(start.time, "run_resumed", body={"epoch": 2}),
    ]
    assert sentences(plan, [*before, *cut, again(start)]) == []
    found = sentences(plan, [*before, *cut, again(start, upto=0)])
    assert "is made again and given {'after': 0, 'upto': 0}, it was given" in found[0]


def test_a_turn_that_is_made_again_in_a_later_round_is_right(
    world: Any, make_plan: Any, make_item: Any
) -> None:
    plan = make_plan(
        make_item("g", pattern="joint", role="", children=("g.a", "g.b"), rounds=9),
        make_item("g.a", parent="g"),
        make_item("g.b", parent="g", on_crash="hold"),
    )
    answers = {
        name: lambda turn, last=last: (
            TurnResult.yields(None, ({"text": "on it"},))
            if turn.number < last
            else TurnResult.done({"result": 1})
        )
        for name, last in (("g.a", 3), ("g.b", 2))
    }
    events = world.events(plan, answers)
    ends = [n for n, e in enumerate(events) if (e.kind, e.item) == ("turn_ended", "g.a")]
    before = events[: ends[1] + 1]
    start = next(e for e in reversed(before) if (e.kind, e.item) == ("turn_started", "g.b"))
    lost = Event(start.time, "turn_lost", "g.b", start.attempt, {"reason": "gone"})
    resumed = [Event(start.time, "run_resumed", body={"epoch": epoch}) for epoch in (2, 3)]
    paused = world.go_on(plan, before, [resumed[0], lost], answers)
    again = Event(start.time, "item_decided", "g.b", "", {"decision": "rerun", "by": "ann"})
    events = world.go_on(plan, paused, [resumed[1], again], answers)
    rounds = [e.body["heard"]["round"] for e in events if "heard" in e.body and e.item == "g.b"]
    assert rounds == [1, 2, 3]
    assert sentences(plan, events) == []


def test_an_item_that_works_alone_hears_nothing(make_plan: Any, make_item: Any) -> None:
    alone = make_plan(make_item("a"))
    run = Run(alone)
    deliveries = Deliveries(run.state)
    start = {"run": "r", "plan": "", "inputs": {}, "env": {}, "deadline": "2027-01-01T00:00:00Z"}
    run.apply(Event(0, "run_started", body=start))
    body = {"turn": 1, "heard": {"after": 0, "upto": 0}}
    deliveries.check(Event(0, "turn_started", "a", "r/a/1", body), 2)
    assert deliveries.faults


def test_run_json_says_who_posted_what_and_what_reached_nobody(
    plan: Plan, events: list[Event]
) -> None:
    document = summarise(plan, events)
    board = document["messages"]["boards"]["g"]
    posts = [(p["sender"], p["channel"], p["text"]) for p in board["posts"]]
    assert posts[0] == ("worker#g.a", "x", f"{CANARY} 1")
    assert posts[-1] == ("worker#g.a", "x", "late")
    assert board["posts"][0]["attempt"] == "r-1/g.a/1"
    assert board["undelivered"] == {"g.b": 2}
    assert document["messages"]["refused"][0] == {
        "attempt": "r-1/g.a/1",
        "post": "g.a/1/1",
        "reason": "it may not post to 'y', only to 'x'",
    }
    assert document["items"]["g.b"]["turns"][1]["heard"] == {"after": 0, "upto": 1}


def test_it_is_verified_and_the_check_says_how_many(
    world: Any, plan: Plan, events: list[Event]
) -> None:
    checks = {check.name: check for check in verify(world.write(plan, events)[0])}
    assert all(check.ok for check in checks.values())
    assert checks["messages"].sentence == "1 message delivered, each to who listens and once"


def test_evidence_of_items_that_do_not_talk_has_no_such_check(evidence_of_none: Path) -> None:
    assert "messages" not in {check.name for check in verify(evidence_of_none)}


@pytest.fixture
def evidence_of_none(world: Any, make_plan: Any, make_item: Any) -> Path:
    alone = make_plan(make_item("a"))
    done = {"a": lambda _: TurnResult.done({"result": 1})}
    written: Path = world.write(alone, world.events(alone, done))[0]
    return written


def test_without_bodies_texts_are_digests_and_the_rest_is_verified(
    world: Any, plan: Plan, answers: Any, seal_plan: Callable[[Plan], Plan]
) -> None:
    private = seal_plan(replace(plan, evidence="digests"))
    folder: Path = world.write(private, world.events(private, answers))[0]
    for path in folder.rglob("*"):
        data = b"" if path.is_dir() else path.read_bytes()
        assert CANARY.encode() not in data
        assert b"loud" not in data
    checks = {check.name: check for check in verify(folder)}
    assert all(check.ok for check in checks.values())
    assert checks["messages"].sentence.startswith("1 message delivered")


def test_without_bodies_a_tag_that_somebody_listens_to_is_kept(
    world: Any, make_plan: Any, make_item: Any, answers: Any
) -> None:
    private = make_plan(
        make_item("g", pattern="joint", role="", children=("g.a", "g.b")),
        make_item("g.a", parent="g"),
        make_item("g.b", parent="g", listens=("loud",)),
        evidence="digests",
    )
    folder: Path = world.write(private, world.events(private, answers))[0]
    assert b'"tags":["loud"]' in (folder / "events.jsonl").read_bytes().replace(b" ", b"")
    assert all(check.ok for check in verify(folder))


def test_without_bodies_the_channel_that_a_post_names_is_kept(
    world: Any, make_plan: Any, make_item: Any
) -> None:
    private = make_plan(
        make_item("g", pattern="broadcast", role="", children=("g.a", "g.b"), channels=("x", "y")),
        make_item("g.a", parent="g", posts=("x", "y")),
        make_item("g.b", parent="g", listens=("y",)),
        evidence="digests",
    )
    posts = ({"text": CANARY, "channel": "y"},)
    told = {
        "g.a": lambda turn: TurnResult.done({"result": 1}, posts=posts),
        "g.b": lambda turn: (
            TurnResult.done({"result": 1}) if turn.number > 1 else TurnResult.yields(None)
        ),
    }
    checks = verify(world.write(private, world.events(private, told))[0])
    sound = {check.name: check.sentence for check in checks if check.ok}
    assert len(sound) == len(checks)
    assert sound["messages"].startswith("1 message delivered")
