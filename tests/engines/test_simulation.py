"""The simulated world: who may go on with a run, and what becomes of calls and answers."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from forge_cli.engines.simulation.engine import Response
from forge_cli.engines.simulation.ledger import Disk
from forge_cli.engines.simulation.script import Fault, Reply
from forge_cli.engines.simulation.world import Simulation, StuckError
from forge_cli.gateway.acceptance import Acceptance
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Handler, Item
from forge_cli.multiagent.ports import Kept as Taken
from forge_cli.multiagent.run import Run
from forge_cli.multiagent.turn import Turn, TurnResult
from forge_cli.testing.bench import Kept
from tests.multiagent.world import item, plan

MINUTE = 60_000


class Cast:
    """Each call takes ten seconds, or goes as `reply` says; nobody decides anything."""

    def __init__(self, **fields: Any) -> None:
        self.fields = {"after": 10_000, **fields}

    def reply(self, turn: Turn) -> Reply:
        value = [turn.attempt_id] if turn.grant.outputs else None
        done = TurnResult.done({"result": value}, usage={})
        return replace(Reply(done), **self.fields)

    def decide(self, run: Run, now: int) -> Sequence[Event]:
        return ()


class Keeper:
    def __init__(self) -> None:
        self.restored: list[str] = []

    def keep(self, writes: Sequence[str], stopped: object) -> Taken:
        return Taken("sha256:0", 1)

    def restore(self, snapshot: str) -> int:
        self.restored.append(snapshot)
        return 1

    def sync(self) -> None:
        """Nothing is written."""


def events(items: Sequence[Item], *faults: Fault, cast: Cast | None = None) -> list[Event]:
    """What is kept of a run of these items."""
    compiled, kept, disk = plan(items), Kept(), Disk()
    judge = Acceptance(compiled, kept, lambda _: None)
    simulation = Simulation(compiled, cast or Cast(), judge, kept, Keeper(), faults, disk=disk)
    simulation.play()
    return list(disk.events())


def kinds(found: Sequence[Event]) -> list[str]:
    return [event.kind for event in found]


UNDISTURBED = ["run_started", "turn_started", "turn_ended", "run_ended"]


def test_time_passes_only_in_the_world() -> None:
    found = events([item("a")])
    assert kinds(found) == UNDISTURBED
    assert found[-1].time - found[0].time == 10_000


def test_a_rival_is_refused_while_the_lease_is_held() -> None:
    assert kinds(events([item("a")], Fault("rival", 5_000))) == UNDISTURBED


def test_a_robber_takes_over_at_once() -> None:
    found = events([item("a")], Fault("robber", 5_000))
    assert kinds(found)[2:4] == ["run_resumed", "turn_lost"]
    assert found[-1].body["status"] == "complete"


def test_a_rival_takes_over_from_one_that_stalls_for_longer_than_its_lease() -> None:
    stalled = Fault("stall", 1_000, 5 * MINUTE)
    found = events([item("a")], stalled, Fault("rival", 4 * MINUTE))
    assert kinds(found)[2:4] == ["run_resumed", "turn_lost"]
    assert found[2].body == {"epoch": 2}


@pytest.mark.parametrize(("kind", "kept"), [("crash-before", 2), ("crash-after", 4)])
def test_a_crash_keeps_the_append_or_does_not(kind: Any, kept: int) -> None:
    found = events([item("a"), item("b")], Fault(kind, 2))
    assert kinds(found)[kept] == "run_resumed"


def test_what_a_full_disk_refuses_is_not_kept_and_done_later() -> None:
    found = events([item("a")], Fault("disk-full", 2, MINUTE))
    assert kinds(found)[2:4] == ["run_resumed", "turn_lost"]
    assert found[2].time - found[0].time > MINUTE
    assert found[-1].body["status"] == "complete"


def test_a_signal_interrupts_the_run_and_somebody_goes_on() -> None:
    found = events([item("a")], Fault("signal", 5_000), cast=Cast(stopped=None, grace=None))
    assert "run_stopping" in kinds(found)
    assert found[-1].body["status"] == "complete"


def test_an_answer_that_comes_twice_is_ignored_once() -> None:
    found = events([item("a"), item("b")], cast=Cast(echo=1_000))
    ignored = [event for event in found if event.kind == "response_ignored"]
    assert [event.attempt for event in ignored] == ["r/a/1"]


def test_a_stray_answer_is_ignored() -> None:
    false = Response("other#a", "r/a/1", 1, TurnResult.done({"result": 0}, usage={}))
    found = events([item("a")], cast=Cast(strays=((1, false),)))
    assert kinds(found)[2] == "response_ignored"
    assert found[-1].body["status"] == "complete"


def test_the_answer_of_an_orphan_is_late_for_the_next_controller() -> None:
    found = events([item("a")], Fault("robber", 5_000), cast=Cast(orphan=True))
    assert [event.body["reason"] for event in found if event.kind == "response_ignored"] == [
        "late: the attempt has ended"
    ]


def test_a_call_that_breaks_takes_its_controller_along() -> None:
    found = events([item("a", on_crash="hold")], cast=Cast(breaks=True))
    assert kinds(found)[2:4] == ["run_resumed", "turn_lost"]
    assert found[-1].body["status"] == "paused"


def test_a_world_without_an_end_is_told() -> None:
    with pytest.raises(StuckError, match="stands still after all that happens"):
        events([item("a", timeout=10**9)], cast=Cast(after=10**8, grace=None))


def test_what_a_turn_may_change_is_kept_before_it_begins() -> None:
    undo = Handler("restore", {})
    writing = item("a", compensate=undo)
    writing = replace(writing, grant=replace(writing.grant, writes=("files:a",)))
    assert kinds(events([writing]))[1:3] == ["turn_started", "snapshot_taken"]
