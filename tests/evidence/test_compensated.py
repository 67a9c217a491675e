"""What evidence says of compensations: a row for each start, and what is left to undo."""

from collections.abc import Sequence
from typing import Any

import pytest

from forge_cli.evidence import document, forms
from forge_cli.evidence.bodies import without_bodies
from forge_cli.evidence.layout import Placement
from forge_cli.evidence.replay import Replay
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.run import Run
from tests.evidence.summaries import summarise
from tests.multiagent.test_run_compensation import saga
from tests.multiagent.world import World, failed, plan

DIGEST = "sha256:" + "0" * 64


@pytest.fixture
def world() -> World:
    """A branch of which the newest could not be undone at first, and then was."""
    script = {"g.y": failed(), "g.y undone": "failed"}
    return World(plan(saga("x", "y")), script).play()


@pytest.fixture
def undone(world: World) -> World:
    world.script = {}
    return world.resume().go_on()


def told(world: World) -> dict[str, Any]:
    return summarise(world.plan, world.events, "0" * 64)


def faults(world: World, events: Sequence[Event]) -> list[str]:
    run = Run(world.plan)
    replay = Replay(run)
    for number, event in enumerate(events, start=1):
        replay.expect(event, number)
        run.apply(event)
    return [check.sentence for check in replay.faults.checks("") if not check.ok]


def test_what_is_left_to_undo_is_listed_newest_first(world: World) -> None:
    assert told(world)["run"]["compensation"] == "incomplete"
    assert told(world)["uncompensated"] == ["g.y", "g.x"]


def test_every_start_has_a_row(undone: World) -> None:
    rows = told(undone)["compensations"]
    assert [(row["item"], row["status"]) for row in rows] == [
        ("g.y", "failed"),
        ("g.y", "done"),
        ("g.x", "done"),
    ]
    assert rows[0]["key"] == rows[1]["key"] != rows[2]["key"]
    assert "uncompensated" not in told(undone)


def test_one_that_could_not_be_started_has_a_row(world: World) -> None:
    world.resume()
    world.record(Event(world.now, "compensation_refused", "g.y", body={"reason": "no value"}))
    assert told(world)["compensations"][-1]["message"] == "no value"


def test_one_that_a_signal_cut_short_says_so() -> None:
    world = World(plan(saga("x")), {"g.x": failed()}).start()
    world.until("compensation_started")
    world.record(Event(world.now, "run_stopping", body={"signal": "SIGINT"}))
    world.advance()
    world.undone("r/g.x/compensation-1", "cancelled")
    (row,) = told(world)["compensations"]
    assert (row["cancelled"], row["status"]) == ("the run got SIGINT", "cancelled")


def test_it_has_the_form_that_the_schema_says(undone: World) -> None:
    assert forms.violation("run.json", b"".join(document.render(told(undone)))) == ""


def test_the_same_is_decided_again(undone: World) -> None:
    assert faults(undone, undone.events) == []


def test_one_that_was_left_out_is_found(undone: World) -> None:
    kinds = [(event.kind, event.item) for event in undone.events]
    first = kinds.index(("compensation_started", "g.x"))
    with pytest.raises((ValueError, KeyError)):
        faults(undone, [*undone.events[:first], *undone.events[first + 1 :]])


def test_what_its_program_wrote_lies_beside_what_the_item_wrote() -> None:
    placement = Placement()
    body = {"status": "done", "captured": {"stdout": DIGEST}}
    placement.add(Event(0, "compensation_ended", "a", "r/a/compensation-1", body))
    placement.add(Event(0, "turn_ended", "a", "r/a/1", {"captured": {"stdout": DIGEST}}))
    assert [name for name, _ in placement.files()] == [
        "items/a/stdout.txt",
        "items/a/compensation-1/stdout.txt",
    ]


def test_bodies_are_left_out_where_only_digests_are_kept(world: World) -> None:
    for kind, key in (("compensation_started", "handler"), ("compensation_ended", "message")):
        reduced = without_bodies(world.plan, Event(0, kind, "g.y", body={key: {"argv": ["key"]}}))
        assert "argv" not in str(reduced.body[key])
