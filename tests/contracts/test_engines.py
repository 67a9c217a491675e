"""What every engine must hold: the same manifest has the same events and the same end on each."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from forge_cli.engines.local import LocalEngine
from forge_cli.engines.simulation.ledger import Disk
from forge_cli.engines.simulation.script import Fault, Reply, Witness
from forge_cli.engines.simulation.world import CrashError, Simulation
from forge_cli.gateway.acceptance import Acceptance
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Plan
from forge_cli.multiagent.recovery import taken_over
from forge_cli.multiagent.run import Run
from forge_cli.multiagent.turn import Turn, TurnResult
from forge_cli.testing.bench import Kept
from tests.contracts.engines import (
    MANIFESTS,
    START,
    Keeper,
    alone,
    answer,
    plan_of,
    started,
    without_times,
)


class EngineContract:
    """A subclass says how its engine plays a plan; `answer` answers its turns."""

    def play(self, plan: Plan, crash: int = 0) -> Disk:
        """Play it until it ends, with a crash right behind that append, and go on from there."""
        raise NotImplementedError

    @pytest.mark.parametrize("name", MANIFESTS)
    def test_the_same_manifest_has_the_same_events(self, name: str, tmp_path: Path) -> None:
        plan = plan_of(name, tmp_path)
        found = [without_times(event) for event in self.play(plan).events()]
        assert found == [without_times(event) for event in alone(plan)]

    @pytest.mark.parametrize("name", MANIFESTS)
    def test_a_crash_changes_neither_end_nor_results(self, name: str, tmp_path: Path) -> None:
        plan = plan_of(name, tmp_path)
        undisturbed = _end(plan, alone(plan))
        for crash in range(1, 30):
            events = list(self.play(plan, crash).events())
            assert _end(plan, events) == undisturbed, f"crash behind append {crash}"
            if not any(event.kind == "run_resumed" for event in events):
                return
        raise AssertionError("there are more appends than anybody thought of")

    @pytest.mark.parametrize("name", MANIFESTS)
    def test_what_had_ended_before_a_crash_is_not_done_again(
        self, name: str, tmp_path: Path
    ) -> None:
        plan = plan_of(name, tmp_path)
        for crash in range(1, 6):
            ended: set[tuple[str, int]] = set()
            for event in self.play(plan, crash).events():
                call = (event.attempt, event.body.get("turn", 1))
                assert event.kind != "turn_started" or call not in ended
                if event.kind == "turn_ended":
                    ended.add(call)


def _end(plan: Plan, events: list[Event]) -> dict[str, Any]:
    """How a run ends: the status of all, what was accepted of whom, and what was written."""
    run = Run(plan)
    for event in events:
        run.apply(event)
    nodes = run.state.nodes
    return {
        "status": run.state.status,
        "items": {name: (node.status, _timeless(node.output)) for name, node in nodes.items()},
        "state": _timeless(run.state.commits.values),
        "undone": sum(e.body.get("status") == "done" for e in events if "compensation" in e.kind),
        "spent": run.state.account.spent,
    }


def _timeless(value: Any) -> Any:
    """The value with the times of messages in it left out."""
    return json.loads(re.sub(r'"time": "[^"]*"', '"time": ""', json.dumps(value)))


class StandingClock:
    """The same time for ever: nothing here waits."""

    def now(self) -> int:
        return START


class Answering:
    """Answers each turn as the contract does."""

    async def run(self, turn: Turn) -> TurnResult:
        return answer(turn)


class TestLocal(EngineContract):
    def play(self, plan: Plan, crash: int = 0) -> Disk:
        disk, appends = Disk(), 0

        def accident(keep: Any) -> None:
            nonlocal appends
            appends += 1
            keep()
            if appends == crash:
                raise CrashError

        disk.accident = accident
        while True:
            try:
                asyncio.run(self._drive(plan, disk))
            except CrashError:
                disk.gone.update(["local"])
            else:
                return disk

    async def _drive(self, plan: Plan, disk: Disk) -> None:
        run, artifacts = Run(plan), Kept()
        ledger = disk.take("local", START)
        for event in disk.events():
            run.apply(event)
        begun = taken_over(run.state, ledger.epoch, START) if len(disk) else [started(plan)]
        if run.state.status:
            return
        for event in begun:
            run.apply(event)
        judge = Acceptance(plan, artifacts, lambda _: None)
        handlers = {"command": Answering()}
        clock = StandingClock()
        engine = LocalEngine(run, ledger, handlers, judge, clock, artifacts, Keeper())
        await engine.drive(*begun)


class Calm:
    """Answers each turn as the contract does, and decides nothing."""

    def reply(self, turn: Turn) -> Reply:
        return Reply(answer(turn))

    def decide(self, run: Run, now: int) -> list[Event]:
        return []


class TestSimulation(EngineContract):
    def play(self, plan: Plan, crash: int = 0) -> Disk:
        disk, artifacts = Disk(), Kept()
        judge = Acceptance(plan, artifacts, lambda _: None)
        faults = [Fault("crash-after", crash)] if crash else []
        simulation = Simulation(
            plan, Calm(), judge, artifacts, Keeper(), faults, witness=Witness(), disk=disk
        )
        simulation.play()
        return disk
