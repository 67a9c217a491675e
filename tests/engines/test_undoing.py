"""Keeping and restoring beside the loop: when it is done, what a signal and a fault do to it."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from forge_cli.engines.recording import compensated
from forge_cli.errors import ForgeError
from forge_cli.gateway.snapshots import SnapshotError
from forge_cli.multiagent.plan import Grant, Handler, Item
from forge_cli.multiagent.ports import Kept
from forge_cli.multiagent.turn import Turn, TurnResult
from tests.engines.test_local import Driven, done, drive
from tests.field_reports.processes import until
from tests.multiagent.world import START, World, failed, item, plan


class TestUndoing:
    """What an item may change is kept before its handler is called, and put back on demand."""

    GRANT = Grant(outputs=("result",), writes=("files:src/**",))

    def restorable(self, **fields: Any) -> Item:
        undo = Handler("restore", {})
        return item("a", compensate=undo, then="compensate", grant=self.GRANT, **fields)

    def test_the_handler_is_called_when_what_was_kept_is_durable(self) -> None:
        durable: list[list[str]] = []

        async def answer(turn: Turn) -> TurnResult:
            durable.append([event.kind for event in driven.ledger.events])
            return await done(turn)

        driven = Driven(plan([self.restorable()]), answer)
        driven.drive()
        assert durable == [["run_started", "turn_started", "snapshot_taken"]]
        assert driven.bodies("snapshot_taken") == [{"snapshot": "s1", "files": 1}]

    def test_what_was_kept_is_restored(self) -> None:
        async def answer(turn: Turn) -> TurnResult:
            return TurnResult.failed("error", "no", usage={})

        driven = drive([self.restorable()], answer)
        assert driven.keeper.asked == ["keep files:src/**", "restore s1"]
        assert driven.bodies("compensation_ended") == [{"status": "done", "changed": 2}]
        assert driven.run.state.status == "failed"

    def test_a_handler_whose_files_cannot_be_kept_is_not_called(self) -> None:
        driven = Driven(plan([self.restorable(required=False)]), done)
        driven.keeper.fault = "it cannot be kept"
        driven.drive()
        assert driven.handler.turns == []
        assert driven.run.state.nodes["a"].reason == "it cannot be kept"

    def test_what_cannot_be_restored_is_told(self) -> None:
        async def answer(turn: Turn) -> TurnResult:
            driven.keeper.fault = "it is gone"
            return TurnResult.failed("error", "no", usage={})

        driven = Driven(plan([self.restorable()]), answer)
        driven.drive()
        assert driven.bodies("compensation_ended") == [
            {"status": "failed", "message": "it is gone"}
        ]
        assert driven.bodies("run_ended")[0]["compensation"] == "incomplete"

    def test_a_signal_while_it_is_kept_gives_that_up(self) -> None:
        driven = Driven(plan([self.restorable()]), done)

        def keep(writes: Sequence[str], stopped: Callable[[], bool]) -> Kept:
            driven.engine.stop("SIGTERM")
            while not stopped():
                time.sleep(0.001)
            raise SnapshotError("stopped")

        driven.keeper.keep = keep  # type: ignore[method-assign]
        driven.drive()
        assert driven.handler.turns == []
        assert driven.run.state.status == "interrupted"

    def test_a_restore_that_has_begun_is_not_cut_short(self) -> None:
        async def answer(turn: Turn) -> TurnResult:
            return TurnResult.failed("error", "no", usage={})

        driven = Driven(plan([self.restorable()]), answer)

        def restore(snapshot: str) -> int:
            driven.engine.stop("SIGTERM")
            until(lambda: driven.bodies("compensation_cancelled"))
            return 3

        driven.keeper.restore = restore  # type: ignore[method-assign]
        driven.drive()
        assert driven.bodies("compensation_ended") == [{"status": "done", "changed": 3}]
        assert driven.run.state.status == "failed"

    @pytest.mark.parametrize(
        ("result", "told"),
        [
            (TurnResult.done({"result": "x"}, captured={"stdout": "d"}), {"status": "done"}),
            (TurnResult.failed("error", "exit status 1"), {"message": "exit status 1"}),
            (TurnResult.yields({}), {"message": "it yields, which undoes nothing"}),
        ],
    )
    def test_a_program_that_undoes_is_told_by_how_it_ended(
        self, result: TurnResult, told: dict[str, str]
    ) -> None:
        async def answer(turn: Turn) -> TurnResult:
            undoes = turn.attempt_id.endswith("compensation-1")
            return result if undoes else TurnResult.failed("error", "no", usage={})

        undo = Handler("function", {})
        driven = drive([item("a", compensate=undo, then="compensate")], answer)
        (body,) = driven.bodies("compensation_ended")
        assert body.items() >= told.items()
        assert body.get("captured") == (dict(result.captured) or None)

    def test_a_program_that_takes_too_long_has_failed(self) -> None:
        undo = item("a", compensate=Handler("function", {}), then="compensate")
        world = World(plan([undo]), {"a": failed()}).start()
        world.until("compensation_started")
        stopped = TurnResult.failed("cancelled", "stopped")
        event = compensated(world.run.state, world.turns[-1], stopped, START, expired=True)
        assert event.body == {"status": "failed", "message": "timeout after 300 s"}


class TestWritten:
    """What a turn may have written is durable before it is recorded that it has ended."""

    WRITES = Grant(outputs=("result",), writes=("files:src/**",))

    def test_it_is_synced_before_the_end_is_recorded(self) -> None:
        driven = Driven(plan([item("a", grant=self.WRITES), item("b")]), done)
        recorded: list[list[str]] = []

        def sync() -> None:
            ended = [e.item for e in driven.ledger.events if e.kind == "turn_ended"]
            recorded.append(ended)

        driven.keeper.sync = sync  # type: ignore[method-assign]
        driven.drive()
        assert driven.handler.turns == ["a", "b"]
        assert [ended for ended in recorded if "a" not in ended] == recorded
        assert len(recorded) == 1

    def test_a_disk_that_refuses_ends_the_run_and_not_the_turn(self) -> None:
        driven = Driven(plan([item("a", grant=self.WRITES)]), done)

        def sync() -> None:
            raise ForgeError("cannot be made durable")

        driven.keeper.sync = sync  # type: ignore[method-assign]
        with pytest.raises(ForgeError, match="cannot be made durable"):
            driven.drive()
        assert driven.bodies("turn_ended") == []
