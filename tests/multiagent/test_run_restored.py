"""Undoing that a person asks for, and what is kept so that it can be restored."""

from typing import Any

import pytest

from forge_cli.multiagent.compensation import to_keep
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Grant, Handler, Item, Retry
from tests.multiagent.test_run_compensation import UNDO, begun, keys, undoable
from tests.multiagent.world import World, done, failed, item, plan

RESTORE = Handler("restore", {})


class TestDecisions:
    def paused(self, **fields: Any) -> World:
        asking = item("a", compensate=UNDO, **{"then": "escalate", **fields})
        return World(plan([asking]), {"a": [failed(), done()]}).play()

    def test_what_is_declined_is_undone(self) -> None:
        world = self.paused().resume().decide("a", "deny").go_on()
        assert begun(world) == ["a"]
        assert world.ends() == {"a": "denied"}
        assert world.status == "failed"

    def test_what_is_made_again_from_its_start_is_undone_before(self) -> None:
        world = self.paused().resume().decide("a", "reissue").go_on()
        kinds = [(e.kind, e.attempt) for e in world.events if "compensation" not in e.attempt]
        assert begun(world) == ["a"]
        assert ("turn_started", "r/a/2") in kinds
        assert world.status == "complete"

    def test_each_time_it_is_undone_has_a_key_of_its_own(self) -> None:
        world = self.paused().resume().decide("a", "reissue")
        world._answers["a"] = [failed()]
        world.go_on().resume(3).decide("a", "deny").go_on()
        assert keys(world) == ["r/a/undo-1", "r/a/undo-2"]

    def test_what_cannot_be_undone_is_not_made_again(self) -> None:
        world = self.paused()
        world.script = {"a undone": "failed"}
        world.resume().decide("a", "reissue").go_on()
        assert world.ends() == {"a": "failed"}
        assert world.reason("a") == "what it had done could not be undone"
        assert len([t for t in world.turns if t.attempt_id == "r/a/2"]) == 0

    def test_a_result_that_is_given_in_its_place_is_not_undone(self) -> None:
        world = self.paused().resume()
        verdict = {"accepted": True, "reason": ""}
        world.decide("a", "accept", output={"result": 1}, verdict=verdict).go_on()
        assert begun(world) == []
        assert world.status == "complete"

    def test_what_is_run_once_more_with_its_key_is_not_undone(self) -> None:
        asking = item("a", compensate=UNDO, on_crash="hold")
        world = World(plan([asking]), {"a": [failed("timeout"), done()]}).play()
        world.resume().decide("a", "rerun").go_on()
        assert begun(world) == []
        assert world.status == "complete"

    def test_what_awaited_its_approval_has_done_nothing(self) -> None:
        world = World(plan([undoable("a", approval=True)])).play()
        world.resume().decide("a", "deny").go_on()
        assert begun(world) == []
        assert world.ends() == {"a": "denied"}


class TestSnapshots:
    def restorable(self, **fields: Any) -> Item:
        grant = Grant(outputs=("result",), writes=("files:src/**",), scope=("files:**",))
        return undoable("a", compensate=RESTORE, grant=grant, **fields)

    def started(self, **fields: Any) -> World:
        world = World(plan([self.restorable(**fields)]), {"a": failed()}).start()
        world.advance()
        return world

    def take(self, world: World, attempt: str, snapshot: str = "sha256:1") -> None:
        body = {"snapshot": snapshot, "files": 1}
        world.record(Event(world.now, "snapshot_taken", "a", attempt, body))

    def test_what_it_may_write_is_to_be_kept_before_its_first_turn(self) -> None:
        world = self.started()
        assert to_keep(world.run.state, world.turns[0]) == ("files:src/**",)

    def test_it_is_kept_once_whatever_attempts_follow(self) -> None:
        world = self.started(retry=Retry(2))
        self.take(world, "r/a/1")
        world.answer("r/a/1", failed())
        world.advance()
        assert to_keep(world.run.state, world.turns[-1]) == ()

    @pytest.mark.parametrize("undo", [None, UNDO])
    def test_nothing_is_kept_of_what_is_undone_otherwise(self, undo: Handler | None) -> None:
        world = World(plan([item("a", compensate=undo)])).start()
        world.advance()
        assert to_keep(world.run.state, world.turns[0]) == ()

    def test_nothing_is_kept_of_a_turn_that_has_ended(self) -> None:
        world = self.started()
        world.answer("r/a/1", failed())
        assert to_keep(world.run.state, world.turns[0]) == ()

    def test_a_restore_names_the_snapshot(self) -> None:
        world = self.started()
        self.take(world, "r/a/1")
        world.go_on()
        (event,) = [e for e in world.events if e.kind == "compensation_started"]
        assert event.body["handler"] == {"snapshot": "sha256:1"}
        assert world.turns[-1].handler_kind == "restore"

    def test_what_failed_before_anything_was_kept_has_changed_nothing(self) -> None:
        world = self.started().go_on()
        assert begun(world) == []
        assert world.ends() == {"a": "failed"}

    def test_it_is_kept_anew_when_it_was_restored_for_another_attempt(self) -> None:
        world = self.started(required=False)
        self.take(world, "r/a/1")
        node = world.run.state.nodes["a"]
        world.go_on()
        assert (node.snapshot, node.begun) == ("", 0)
