"""What a failed branch did is undone: newest first, once each, also across crashes and signals."""

from typing import Any

import pytest

from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.compensation import SPAN
from forge_cli.multiagent.decisions import possible
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Deadline, Handler, Item, Retry
from tests.multiagent.world import HOUR, START, World, failed, item, plan, role

UNDO = Handler("command", {"argv": ["undo"]})


def undoable(item_id: str, **fields: Any) -> Item:
    return item(item_id, **{"compensate": UNDO, "then": "compensate", **fields})


def saga(*names: str, last: dict[str, Any] | None = None) -> list[Item]:
    """Sub-tasks one behind the other, each undoable, and the item on top that undoes them all."""
    ids = [f"g.{name}" for name in names]
    before = [(), *((name,) for name in ids)]
    children = [
        item(name, parent="g", depends_on=earlier, compensate=UNDO)
        for name, earlier in zip(ids, before, strict=False)
    ]
    group = item("g", role_id="", pattern="parallel", children=tuple(ids), then="compensate")
    return [group, *children]


def begun(world: World) -> list[str]:
    """The items whose compensations were started, in order."""
    return [event.item for event in world.events if event.kind == "compensation_started"]


def keys(world: World) -> list[str]:
    return [e.body["key"] for e in world.events if e.kind == "compensation_started"]


class TestBranches:
    def test_what_failed_is_undone_and_then_has_failed(self) -> None:
        world = World(plan([undoable("a")]), {"a": failed()}).play()
        assert begun(world) == ["a"]
        assert world.ends() == {"a": "failed"}
        assert world.status == "failed"
        assert world.events[-1].body["compensation"] == "complete"

    def test_what_succeeds_is_not_undone(self) -> None:
        world = World(plan([undoable("a")])).play()
        assert begun(world) == []
        assert "compensation" not in world.events[-1].body

    def test_a_branch_is_undone_newest_first(self) -> None:
        world = World(plan(saga("x", "y", "z")), {"g.z": failed()}).play()
        assert begun(world) == ["g.z", "g.y", "g.x"]
        assert world.ends()["g"] == "failed"

    def test_one_compensation_is_in_flight_at_a_time(self) -> None:
        world = World(plan(saga("x", "y")), {"g.y": failed()}).start()
        world.until("compensation_started")
        world.advance()
        assert list(world.run.state.compensating) == ["r/g.y/compensation-1"]

    def test_what_never_began_is_not_undone(self) -> None:
        world = World(plan(saga("x", "y", "z")), {"g.x": failed()}).play()
        assert begun(world) == ["g.x"]

    def test_what_was_refused_before_it_began_is_not_undone(self) -> None:
        dear = undoable("a", budget=Budget(model_calls=2))
        world = World(plan([dear], budget=Budget(model_calls=1))).play()
        assert begun(world) == []
        assert world.ends() == {"a": "denied"}

    def test_other_branches_go_on(self) -> None:
        world = World(plan([undoable("a"), item("b")]), {"a": failed()}).play()
        assert world.ends() == {"a": "failed", "b": "succeeded"}

    def test_what_comes_behind_starts_when_all_is_undone(self) -> None:
        world = World(plan([undoable("a"), item("b", after=("a",))]), {"a": failed()}).play()
        kinds = [(event.kind, event.item) for event in world.events]
        ended = kinds.index(("compensation_ended", "a"))
        assert ended < kinds.index(("turn_started", "b"))

    def test_nothing_that_depends_on_it_starts(self) -> None:
        world = World(plan([undoable("a"), item("b", depends_on=("a",))]), {"a": failed()}).play()
        assert world.ends() == {"a": "failed", "b": "blocked"}

    def test_elements_that_began_are_undone_with_the_item(self) -> None:
        each = undoable("a", pattern="each", for_each=[1, 2, 3], then="fail")
        group = item("g", role_id="", pattern="parallel", children=("g.a",), then="compensate")
        inner = undoable("g.a", parent="g", pattern="each", for_each=[1, 2, 3], then="fail")
        world = World(plan([group, inner]), {"g.a.1": failed()}).play()
        assert begun(world) == ["g.a.1", "g.a.0"]
        alone = World(plan([each]), {"a.1": failed()}).play()
        assert begun(alone) == []

    def test_an_element_that_fails_is_undone_first_and_then_the_others(self) -> None:
        each = undoable("a", pattern="each", for_each=[1, 2])
        world = World(plan([each]), {"a.0": failed()}).play()
        assert begun(world) == ["a.0", "a.1"]
        assert world.ends() == {"a": "failed", "a.0": "failed", "a.1": "succeeded"}

    def test_what_depends_on_a_part_and_began_is_undone_with_it(self) -> None:
        items = [
            undoable("a", on_crash="hold"),
            item("b", after=("a",), compensate=UNDO),
            item("c", depends_on=("b",), compensate=UNDO, then="compensate"),
        ]
        world = World(plan(items), {"c": failed()}).play()
        assert begun(world) == ["c"]

    def test_a_retried_item_is_undone_once_in_the_end(self) -> None:
        retried = undoable("a", retry=Retry(3, backoff=5))
        world = World(plan([retried]), {"a": failed()}).play()
        assert keys(world) == ["r/a/undo-3"]

    def test_an_item_that_is_cancelled_while_it_waits_to_be_retried_is_undone(self) -> None:
        retried = undoable("a", retry=Retry(2, backoff=HOUR // 2), required=False)
        world = World(plan([retried, item("b")]), {"a": failed(), "b": failed()}).play()
        assert world.ends() == {"a": "cancelled", "b": "failed"}
        assert begun(world) == ["a"]

    def test_an_optional_item_that_is_undone_degrades_the_run(self) -> None:
        items = [undoable("a", required=False), item("b")]
        world = World(plan(items), {"a": failed()}).play()
        assert world.status == "degraded"
        assert world.events[-1].body["compensation"] == "complete"

    def test_an_item_without_a_way_to_be_undone_only_fails(self) -> None:
        world = World(plan([item("a", then="compensate")]), {"a": failed()}).play()
        assert world.ends() == {"a": "failed"}
        assert begun(world) == []


class TestTimes:
    def test_a_compensation_has_five_minutes_whatever_the_deadlines(self) -> None:
        late = undoable("a", deadline=Deadline(within=10))
        world = World(plan([late])).start()
        world.advance()
        world.now += 10
        world.advance()
        world.answer("r/a/1", failed("cancelled"))
        world.until("compensation_started")
        (turn,) = [t for t in world.turns if t.attempt_id == "r/a/compensation-1"]
        assert (turn.timeout, turn.deadline) == (SPAN, START + 10 + SPAN)
        world.go_on()
        assert world.ends() == {"a": "failed"}

    def test_it_runs_when_the_deadline_of_the_run_has_passed(self) -> None:
        world = World(plan([undoable("a")])).start()
        world.advance()
        world.now += HOUR
        world.advance()
        world.answer("r/a/1", failed("cancelled"))
        world.go_on()
        assert begun(world) == ["a"]
        assert world.status == "failed"


class TestFailures:
    def test_one_that_fails_fails_the_run_and_leaves_what_is_older(self) -> None:
        items = [*saga("x", "y"), item("h")]
        world = World(plan(items), {"g.y": failed(), "g.y undone": "failed"}).play()
        assert begun(world) == ["g.y"]
        assert world.status == "failed"
        assert world.events[-1].body["compensation"] == "incomplete"
        assert [n.item_id for n in world.run.state.remaining()] == ["g.y", "g.x"]
        assert world.ends()["g"] == "failed"

    def test_an_optional_one_that_fails_fails_the_run_as_well(self) -> None:
        items = [undoable("a", required=False), item("b", after=("a",))]
        world = World(plan(items), {"a": failed(), "a undone": "failed"}).play()
        assert world.status == "failed"
        assert world.ends() == {"a": "failed", "b": "cancelled"}
        assert world.events[-1].body["reason"] == "what 'a' did could not be undone"

    def test_another_branch_is_undone_all_the_same(self) -> None:
        items = [undoable("a"), undoable("b")]
        script = {"a": failed(), "b": failed(), "a undone": "failed"}
        world = World(plan(items, max_concurrency=2), script).play()
        assert begun(world) == ["a", "b"]
        assert [n.item_id for n in world.run.state.remaining()] == ["a"]

    def test_a_branch_around_it_stops_at_it(self) -> None:
        group, *children = saga("x", "y")
        children[1] = undoable("g.y", parent="g", depends_on=("g.x",))
        world = World(plan([group, *children]), {"g.y": failed(), "g.y undone": "failed"}).play()
        assert begun(world) == ["g.y"]
        assert [n.item_id for n in world.run.state.remaining()] == ["g.y", "g.x"]
        assert world.ends()["g"] == "failed"
        world.script = {}
        world.resume().go_on()
        assert begun(world) == ["g.y", "g.y", "g.x"]
        assert world.events[-1].body["compensation"] == "complete"

    def test_a_failed_run_goes_on_only_to_undo_what_is_left(self) -> None:
        items = [*saga("x", "y"), item("h")]
        world = World(plan(items), {"g.y": failed(), "g.y undone": "failed"}).play()
        ended = world.events[-1].body
        turns = len(world.turns)
        world.script = {}
        world.resume().go_on()
        assert begun(world) == ["g.y", "g.y", "g.x"]
        assert keys(world)[0] == keys(world)[1]
        assert len([t for t in world.turns[turns:] if "compensation" not in t.attempt_id]) == 0
        assert world.events[-1].body == {**ended, "compensation": "complete"}

    def test_a_failed_run_takes_no_decisions_any_more(self) -> None:
        items = [item("b", then="escalate"), undoable("a")]
        script = {"a": failed(), "b": failed(), "a undone": "failed"}
        world = World(plan(items), script).play()
        assert world.status == "failed"
        assert possible(world.run.state.nodes["b"])
        world.resume()
        with pytest.raises(ValueError, match="only undoes what is left"):
            world.decide("b", "reissue")

    def test_a_crash_while_a_failed_run_is_undone_leaves_it_failed(self) -> None:
        items = [undoable("a", required=False)]
        world = World(plan(items), {"a": failed(), "a undone": "failed"}).play()
        assert world.status == "failed"
        world.script = {}
        world.resume(2).until("compensation_started")
        world.resume(3).go_on()
        assert world.status == "failed"
        assert world.events[-1].body["compensation"] == "complete"

    def test_a_run_of_which_all_is_undone_is_over(self) -> None:
        world = World(plan([undoable("a")]), {"a": failed()}).play()
        with pytest.raises(ValueError, match="cannot happen after the end"):
            world.resume()

    def test_a_reference_without_a_value_is_a_compensation_that_failed(self) -> None:
        undo = Handler("command", {"argv": ["undo", "${inputs.missing}"]})
        world = World(plan([undoable("a", compensate=undo)]), {"a": failed()}).play()
        assert [e.kind for e in world.events[-2:]] == ["compensation_refused", "run_ended"]
        assert world.events[-2].body == {"reason": "${inputs.missing} has no value"}
        assert world.events[-1].body["compensation"] == "incomplete"

    def test_references_are_filled_and_recorded(self) -> None:
        undo = Handler("command", {"argv": ["undo", "${run}"]})
        world = World(plan([undoable("a", compensate=undo)]), {"a": failed()}).play()
        (event,) = [e for e in world.events if e.kind == "compensation_started"]
        assert event.body["handler"] == {"argv": ["undo", "r"]}


class TestCrashesAndSignals:
    def crashed(self) -> World:
        world = World(plan(saga("x", "y")), {"g.y": failed()}).start()
        world.until("compensation_started")
        return world

    def test_one_in_flight_at_a_crash_is_started_again_with_its_key(self) -> None:
        world = self.crashed().resume().go_on()
        assert begun(world) == ["g.y", "g.y", "g.x"]
        first, again, other = keys(world)
        assert first == again != other
        assert world.events[-1].body["compensation"] == "complete"

    def test_each_start_has_an_attempt_of_its_own(self) -> None:
        world = self.crashed().resume().go_on()
        attempts = [e.attempt for e in world.events if e.kind == "compensation_started"]
        assert attempts[:2] == ["r/g.y/compensation-1", "r/g.y/compensation-2"]

    def test_what_is_done_is_not_done_again(self) -> None:
        world = self.crashed()
        world.undone("r/g.y/compensation-1")
        world.advance()
        world.resume().go_on()
        assert begun(world) == ["g.y", "g.x", "g.x"]

    def test_a_signal_cancels_it_and_starts_no_other(self) -> None:
        world = World(plan([undoable("a")]), {"a": failed()}).start()
        world.until("compensation_started")
        world.record(Event(START, "run_stopping", body={"signal": "SIGTERM"}))
        world.advance()
        assert world.events[-1].kind == "compensation_cancelled"
        world.undone("r/a/compensation-1", "cancelled")
        world.advance()
        assert world.events[-1].body["status"] == "interrupted"
        assert world.events[-1].body["compensation"] == "incomplete"
        assert world.ends() == {"a": "compensating"}
        world.resume().go_on()
        assert begun(world) == ["a", "a"]
        assert world.ends() == {"a": "failed"}

    def test_a_failed_run_that_a_signal_stopped_goes_on_undoing(self) -> None:
        world = self.crashed()
        world.record(Event(START, "run_stopping", body={"signal": "SIGTERM"}))
        world.advance()
        world.undone("r/g.y/compensation-1", "cancelled")
        world.advance()
        world.resume().go_on()
        assert begun(world) == ["g.y", "g.y", "g.x"]
        assert world.status == "failed"

    def test_one_that_is_lost_while_it_is_cancelled_is_started_again(self) -> None:
        world = self.crashed()
        world.record(Event(START, "run_stopping", body={"signal": "SIGTERM"}))
        world.advance()
        world.resume().go_on()
        assert begun(world) == ["g.y", "g.y", "g.x"]

    def test_one_that_ends_in_spite_of_the_signal_is_done(self) -> None:
        world = self.crashed()
        world.record(Event(START, "run_stopping", body={"signal": "SIGTERM"}))
        world.advance()
        world.undone("r/g.y/compensation-1")
        world.advance()
        assert [n.item_id for n in world.run.state.remaining()] == ["g.x"]


class TestFaultsOfEvents:
    def test_nothing_but_the_newest_is_undone_next(self) -> None:
        world = World(plan(saga("x", "y")), {"g.y": failed()}).start()
        world.until("item_ended")
        with pytest.raises(ValueError, match=r"'g\.x' is not what is undone next"):
            world.run.apply(self.start("g.x", "r/g.x/compensation-1"))
        with pytest.raises(ValueError, match="is not compensation 1 of its item"):
            world.run.apply(self.start("g.y", "r/g.y/../../compensation-1"))

    def test_nothing_is_undone_while_something_is(self) -> None:
        world = World(plan(saga("x", "y")), {"g.y": failed()}).start()
        world.until("compensation_started")
        with pytest.raises(ValueError, match=r"'g\.y' is not what is undone next"):
            world.run.apply(self.start("g.y", "r/g.y/compensation-2"))

    def start(self, item_id: str, attempt: str) -> Event:
        return Event(START, "compensation_started", item_id, attempt, {"key": "", "deadline": ""})


def test_a_role_has_no_part_in_how_its_item_is_undone() -> None:
    world = World(plan([undoable("a", role_id="r")], roles=[role("r")]), {"a": failed()}).play()
    turn = world.turns[-1]
    assert (turn.handler_kind, turn.handler, turn.inputs) == ("command", {"argv": ["undo"]}, {})
