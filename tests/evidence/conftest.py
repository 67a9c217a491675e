from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forge_cli.canonical import digest
from forge_cli.evidence import record
from forge_cli.evidence.environment import environment
from forge_cli.evidence.head import Head
from forge_cli.gateway.acceptance import Acceptance
from forge_cli.gateway.expressions import holds
from forge_cli.ledger.artifacts import ArtifactFolder
from forge_cli.ledger.lines import GENESIS, seal
from forge_cli.multiagent.assignment import Assignment
from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import (
    Contract,
    Deadline,
    Grant,
    Handler,
    Input,
    Item,
    Json,
    Plan,
    Retry,
    Role,
    StateKey,
)
from forge_cli.multiagent.plan_document import plan_document
from forge_cli.multiagent.run import Evaluate, Run
from forge_cli.multiagent.saving import delta
from forge_cli.multiagent.sealing import Seal
from forge_cli.multiagent.times import to_text
from forge_cli.multiagent.turn import Turn, TurnResult

START = 1_796_047_923_000
HOUR = 3_600_000
SANDBOX = "off, not enforced"

Answer = Callable[[Turn], TurnResult]


class World:
    """Runs a plan with a clock that ticks for each answer, one turn after the other."""

    def __init__(self, folder: Path) -> None:
        self.artifacts = ArtifactFolder(folder / "artifacts")
        self.folder = folder

    def events(self, plan: Plan, answers: dict[str, Answer], **inputs: Json) -> list[Event]:
        """The events of a run whose items are answered by the functions under their plan's ids."""
        body = {
            "run": "r-1",
            "plan": plan.digest,
            "inputs": inputs,
            "env": {},
            "deadline": to_text(plan.deadline.resolve(START)),
            "sandbox": SANDBOX,
        }
        return self.go_on(plan, [], [Event(START, "run_started", body=body)], answers)

    def go_on(
        self, plan: Plan, before: list[Event], more: list[Event], answers: dict[str, Answer]
    ) -> list[Event]:
        """The events before, and those of going on from there with some more."""
        run, events = Run(plan), list(before)
        judge = Acceptance(plan, self.artifacts, digest)
        for event in before:
            run.apply(event)

        def note(event: Event) -> None:
            run.apply(event)
            events.append(event)

        for event in more:
            note(event)
        now = more[-1].time
        while not run.state.status:
            turns = []
            while commands := run.decide(now):
                for command in commands:
                    if isinstance(command, Assignment):
                        turns.append(command.turn())
                        note(command.event)
                    elif isinstance(command, Evaluate):
                        value = holds(command.expression, command.context)
                        note(Event(now, "condition_evaluated", command.item, body={"value": value}))
                    elif isinstance(command, Seal):
                        body = {"digest": digest(command.document)}
                        note(Event(now, "item_sealed", command.item, body=body))
                    else:
                        note(command)
            for turn in turns:
                now += 1
                answer = answers.get(turn.item_id) or answers[turn.item_id.rpartition(".")[0]]
                note(self._ended(turn, answer(turn), judge, now))
            if not turns:
                now = run.wakeup(now) or now
        return events

    def _ended(self, turn: Turn, result: TurnResult, judge: Acceptance, now: int) -> Event:
        body: dict[str, Json] = {
            "status": result.status,
            "sender": f"{turn.role_id}#{turn.item_id}",
            "usage": result.usage,
        }
        if turn.number > 1:
            body["turn"] = turn.number
        if result.posts:
            body["posts"] = list(result.posts)
        if result.status == "failed":
            body |= {"kind": result.kind, "message": result.message}
        if result.status == "done":
            verdict = judge.judge(turn, result)
            body["output"] = verdict.output
            body["verdict"] = {"accepted": verdict.accepted, "reason": verdict.reason}
            if verdict.evidence:
                body["verdict"]["evidence"] = dict(verdict.evidence)
        body |= delta(turn.state, result.state)
        for name in ("partial", "captured"):
            if getattr(result, name):
                body[name] = getattr(result, name)
        if result.requests:
            body["requests"] = list(result.requests)
        return Event(now, "turn_ended", turn.item_id, turn.attempt_id, body)

    def write(
        self, plan: Plan, events: Iterable[Event], name: str = "evidence"
    ) -> tuple[Path, Head]:
        """The events' evidence in a folder, and its head."""
        folder = self.folder / name
        lines = seal(events, 1, GENESIS)
        machine = environment("local", SANDBOX, wall=12, cpu=3)
        return folder, record.write(folder, plan, lines, self.artifacts, machine).head


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def sealed(plan: Plan) -> Plan:
    """The plan with the digest that it must have."""
    whole = {key: value for key, value in plan_document(plan).items() if key != "digest"}
    return replace(plan, digest=digest(whole))


def item(name: str, role: str = "worker", **changes: Any) -> Item:
    grant = Grant(
        capabilities=frozenset({"read"}),
        actions=frozenset({"file-read"}),
        scope=("files:src/**",),
        outputs=("result",),
    )
    return replace(Item(name, role_id=role, grant=grant, chain=("run", f"role:{role}")), **changes)


def plan_of(*items: Item, **changes: Any) -> Plan:
    worker = Role(
        "worker",
        1,
        frozenset({"read", "write"}),
        ("result", "notes", "value", "risk"),
        ("files:src/**", "files:tests/**"),
        Handler("function", {"call": "f.py:f"}),
    )
    base = Plan(
        name="trial",
        version="1.0.0",
        items={i.item_id: i for i in items},
        roles={"worker": worker},
        contracts={
            "run": Contract("run", "", "run", scope=("files:**",), budget=Budget(model_calls=10)),
            "role:worker": Contract(
                "role:worker", "run", "worker", worker.capabilities, worker.scope, worker.outputs
            ),
        },
        budget=Budget(model_calls=10),
        deadline=Deadline(within=6 * HOUR),
        max_concurrency=2,
    )
    return sealed(replace(base, **changes))


@pytest.fixture
def make_item() -> Callable[..., Item]:
    return item


@pytest.fixture
def make_plan() -> Callable[..., Plan]:
    return plan_of


@pytest.fixture
def seal_plan() -> Callable[[Plan], Plan]:
    return sealed


@pytest.fixture
def plan() -> Plan:
    """Everything that a run can have: budgets, retries, elements, proposals, skips, state."""
    propose = Grant(frozenset({"read"}), outputs=("value", "risk"))
    return plan_of(
        item(
            "research",
            grant=Grant(frozenset({"read"}), scope=("files:src/**",), outputs=("notes",)),
            budget=Budget(model_calls=4),
            evidence=("notes",),
            return_key="notes",
        ),
        item(
            "build",
            inputs={"notes": "${items.research.outputs.notes}", "who": "${inputs.who}"},
            goal="build for ${inputs.who}",
            depends_on=("research",),
            retry=Retry(max_attempts=2, backoff=1000),
            completion="schema:text@1",
            criteria=("result != ''",),
        ),
        item(
            "scan",
            pattern="each",
            for_each=["a", "b"],
            with_each=True,
            depends_on=("build",),
            grant=Grant(frozenset({"read"}), scope=("files:src/${each}/**",), outputs=("result",)),
            required=False,
            then="continue",
        ),
        item("choose", pattern="resolve", role="worker", children=("choose.one", "choose.two")),
        item("choose.one", parent="choose", grant=propose),
        item("choose.two", parent="choose", grant=propose, evidence=("value",)),
        item("never", when="inputs.who == 'nobody'", after=("build",)),
        inputs={"who": Input(required=True)},
        state={"notes": StateKey("worker", "append")},
        schemas={"schema:text@1": {"type": "object", "properties": {"result": {"type": "string"}}}},
        outputs={"built": "${items.build.outputs.result}"},
    )


@pytest.fixture
def answers(world: World) -> dict[str, Answer]:
    """How the items of `plan` are answered; `build` needs two attempts, one element fails."""

    def research(turn: Turn) -> TurnResult:
        kept = world.artifacts.put(b"reading\n")
        return TurnResult.done(
            {"notes": ["Zoë", 1.5]}, usage={"model_calls": 2}, captured={"stdout": kept}
        )

    def build(turn: Turn) -> TurnResult:
        kept = world.artifacts.put(f"attempt {turn.attempt_id}\n".encode())
        captured = {"stderr": kept, "Notes/../x": kept}
        if turn.attempt_id.endswith("/1"):
            return TurnResult.failed("error", "exit status 3", partial="half", captured=captured)
        return TurnResult.done({"result": "x" * 300_000}, captured=captured)

    def scan(turn: Turn) -> TurnResult:
        if turn.item_id.endswith(".1"):
            return TurnResult.failed("error", "exit status 2")
        return TurnResult.done({"result": turn.grant.scope[0]})

    def propose(turn: Turn) -> TurnResult:
        return TurnResult.done({"value": turn.item_id, "risk": "reversible"})

    return {
        "research": research,
        "build": build,
        "scan": scan,
        "choose.one": propose,
        "choose.two": propose,
    }


@pytest.fixture
def events(world: World, plan: Plan, answers: dict[str, Answer]) -> list[Event]:
    return world.events(plan, answers, who="Zoë")


@pytest.fixture
def evidence(world: World, plan: Plan, events: list[Event]) -> Path:
    """The folder of the run's evidence."""
    return world.write(plan, events)[0]


@pytest.fixture
def small(world: Any, make_plan: Any, make_item: Any) -> Path:
    """The evidence of a run of one item that keeps one artifact."""
    plan = make_plan(make_item("greet"))
    kept = world.artifacts.put(b"hello\n")
    answer = TurnResult.done({"result": "hello"}, captured={"stdout": kept})
    folder: Path = world.write(plan, world.events(plan, {"greet": lambda turn: answer}), "small")[0]
    return folder
