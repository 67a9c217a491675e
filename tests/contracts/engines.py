"""Manifests for engines, handlers that answer for them, and the machine alone to compare with."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from forge_cli.app.plan import compiled
from forge_cli.engines.recording import carried_out, compensated, response, snapshot_taken
from forge_cli.engines.simulation.ledger import Disk, MemoryLedger
from forge_cli.gateway.acceptance import Acceptance
from forge_cli.multiagent.assignment import Assignment
from forge_cli.multiagent.compensation import RESTORE, to_keep
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Plan
from forge_cli.multiagent.ports import Kept as Taken
from forge_cli.multiagent.run import Run
from forge_cli.multiagent.times import to_text
from forge_cli.multiagent.turn import Turn, TurnResult
from forge_cli.testing.bench import Kept

START = 1_000_000

HEAD = "forge: 1\nsettings: {max_concurrency: 1, dynamic_decomposition: true}\nwork_items:\n"
ORDER = """
  a: {run: [x], capabilities: []}
  b: {run: [x], capabilities: [], depends_on: [a]}
  c: {run: [x], capabilities: [], after: [b], when: "items.b.status == 'failed'"}
  d: {run: [x], capabilities: [], depends_on: [c]}
"""
EACH = """
  a: {run: [x], capabilities: [], for_each: [1, 2, 3], max_parallel: 2}
  b: {run: [x, "${items.a.outputs.result}"], capabilities: []}
"""
GROUP = """
  g:
    pattern: parallel
    sub_tasks:
      fails: {run: [x], capabilities: [], required: false}
      b: {run: [x], capabilities: [], after: [fails]}
  z: {run: [x], capabilities: [], depends_on: [g]}
"""
RETRY = """
  flaky:
    run: [x]
    capabilities: []
    on_failure: {retry: {max_attempts: 3, backoff: 0s}, then: continue}
  fails: {run: [x], capabilities: [], required: false, on_failure: continue}
  b: {run: [x], capabilities: [], depends_on: [flaky, fails]}
"""
TURNS = """
  slow: {run: [x], capabilities: [], budget: {tokens: 9}}
  b: {run: [x], capabilities: [], depends_on: [slow]}
"""
ASKS = """
  fails: {run: [x], capabilities: [], on_failure: escalate}
  b: {run: [x], capabilities: [], approval: required}
"""
UNDONE = """
  g:
    pattern: parallel
    on_failure: compensate
    sub_tasks:
      a:
        run: [x]
        capabilities: [write]
        writes: ["files:a"]
        compensate: restore
        on_crash: rerun
      b:
        run: [x]
        capabilities: [write]
        writes: ["files:b"]
        compensate: {run: [undo]}
        depends_on: [a]
        on_crash: rerun
      fails: {run: [x], capabilities: [], depends_on: [b]}
"""
TALK = """
  j:
    pattern: joint
    sub_tasks:
      talks: {run: [x], capabilities: []}
      b: {run: [x], capabilities: []}
  n:
    pattern: broadcast
    channels: [c]
    depends_on: [j]
    sub_tasks:
      talks: {run: [x], capabilities: []}
      b: {run: [x], capabilities: [], depends_on: [talks]}
      fails: {run: [x], capabilities: [], required: false}
"""
STEPS = """
  splits: {run: [x], capabilities: [], complexity: high}
  b: {run: [x], capabilities: [], depends_on: [splits]}
"""
ASKED = (
    {
        "tool": "decompose_task",
        "arguments": {"steps": [{"goal": goal, "capabilities": []} for goal in ("one", "two")]},
    },
    {"tool": "write_file", "arguments": {"path": "x", "content": "x"}},
)
MANIFESTS = {
    "steps": STEPS,
    "talk": TALK,
    "order": ORDER,
    "each": EACH,
    "group": GROUP,
    "retry": RETRY,
    "turns": TURNS,
    "asks": ASKS,
    "undone": UNDONE,
}


def plan_of(name: str, folder: Path) -> Plan:
    """The plan of one of the manifests, which needs no program and no file."""
    path = folder / f"{name}.forge.yaml"
    path.write_text(HEAD + MANIFESTS[name])
    found = compiled(path, START, folder)
    assert found.plan is not None, found
    return found.plan


def answer(turn: Turn) -> TurnResult:
    """What the item's name says; the same for every attempt at the same turn, but `flaky`."""
    name = turn.item_id.rpartition(".")[2]
    if name == "slow" and turn.number < 3:
        return TurnResult.yields([turn.number], usage={"tokens": 1})
    if name == "splits" and turn.number == 1:
        return TurnResult.yields(None, requests=ASKED, usage={})
    if name == "talks" and turn.number < 3:
        return TurnResult.yields(None, posts=({"text": f"turn {turn.number}"},), usage={})
    fails = name == "fails" or (name == "flaky" and turn.attempt_id.endswith("/1"))
    if fails and "compensation" not in turn.attempt_id:
        return TurnResult.failed("error", "exit status 1", usage={})
    return TurnResult.done({"result": f"{turn.item_id} {turn.number}"}, usage={})


class Keeper:
    """Keeps nothing, and each time under the same name."""

    def keep(self, writes: Sequence[str], stopped: Callable[[], bool]) -> Taken:
        return Taken(f"sha256:{'+'.join(writes)}", len(writes))

    def restore(self, snapshot: str) -> int:
        return 1

    def sync(self) -> None:
        """Nothing is written."""


def started(plan: Plan) -> Event:
    """The event that begins a run of the plan."""
    body = {"run": "r", "plan": plan.digest, "inputs": {}, "env": {}}
    return Event(
        START, "run_started", body={**body, "deadline": to_text(plan.deadline.resolve(START))}
    )


def alone(plan: Plan) -> list[Event]:
    """The events of a run that nothing but the machine drives: one turn after the other."""
    run, disk, artifacts = Run(plan), Disk(), Kept()
    ledger = disk.take("alone", START)
    judge = Acceptance(plan, artifacts, lambda _: None)
    events = [started(plan)]
    run.apply(events[0])

    def record(event: Event) -> None:
        run.apply(event)
        events.append(event)

    while not run.state.status:
        turns = _decided(run, ledger, artifacts, record)
        for turn in turns:
            if to_keep(run.state, turn):
                record(snapshot_taken(turn, Keeper().keep(to_keep(run.state, turn), bool), START))
            restored = TurnResult.done({"changed": 1})
            result = restored if turn.handler_kind == RESTORE else answer(turn)
            if turn.attempt_id in run.state.compensating:
                record(compensated(run.state, turn, result, START))
            else:
                sender = f"{turn.role_id}#{turn.item_id}"
                record(response(run.state, judge, turn, result, sender, START))
    return events


def _decided(
    run: Run, ledger: MemoryLedger, artifacts: Kept, record: Callable[[Event], None]
) -> list[Turn]:
    turns: list[Turn] = []
    while commands := run.decide(START):
        for command in commands:
            if isinstance(command, Assignment):
                turns.append(command.turn())
            record(carried_out(command, START, artifacts))
    return turns


def without_times(event: Event) -> tuple[Any, ...]:
    """What of an event must be the same on every engine."""
    body = {k: v for k, v in event.body.items() if k not in ("deadline", "timeout")}
    return event.kind, event.item, event.attempt, body
