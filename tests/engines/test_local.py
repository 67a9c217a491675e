"""The local engine with handlers of the test's own: when turns begin, end and are cancelled."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, Self

import pytest

from forge_cli.engines.local import LocalEngine
from forge_cli.gateway.patience import StoppedError
from forge_cli.gateway.snapshots import SnapshotError
from forge_cli.multiagent.assignment import Assignment
from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Deadline, Item, Plan, Retry
from forge_cli.multiagent.ports import Kept, Verdict
from forge_cli.multiagent.run import Run
from forge_cli.multiagent.times import to_text
from forge_cli.multiagent.turn import Turn, TurnResult
from tests.multiagent.world import START, item, plan

Answer = Callable[[Turn], Awaitable[TurnResult]]


class HandClock:
    """Stands still until a test moves it."""

    def __init__(self) -> None:
        self.time = START
        self.asked = 0

    def now(self) -> int:
        self.asked += 1
        return self.time


class MemoryLedger:
    """Keeps the events, and when it was asked to renew its lease."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.renewed: list[int] = []

    def append(self, events: Sequence[Event]) -> None:
        self.events += events

    def renew(self, now: int) -> None:
        self.renewed.append(now)


class AcceptingJudge:
    def judge(self, turn: Turn, result: TurnResult) -> Verdict:
        return Verdict(True, output=result.output)


class NoArtifacts:
    def put(self, data: bytes) -> str:
        raise NotImplementedError

    def get(self, digest: str) -> bytes:
        raise NotImplementedError


class MemoryKeeper:
    """Keeps by name, and knows what it was asked; `fault` is what either raises."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.fault = ""

    def keep(self, writes: Sequence[str], stopped: Callable[[], bool]) -> Kept:
        return Kept(self._answer(f"keep {','.join(writes)}"), 1)

    def restore(self, snapshot: str) -> int:
        return len(self._answer(f"restore {snapshot}"))

    def sync(self) -> None:
        """Nothing is written."""

    def _answer(self, asked: str) -> str:
        self.asked.append(asked)
        if self.fault:
            raise SnapshotError(self.fault)
        return f"s{len(self.asked)}"


class ScriptedHandler:
    """Answers each turn by a function of the test's, and knows which turns it got."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.turns: list[str] = []

    async def run(self, turn: Turn) -> TurnResult:
        self.turns.append(turn.item_id)
        return await self._answer(turn)


class Driven:
    """A run driven to its end by the engine."""

    def __init__(self, compiled: Plan, answer: Answer) -> None:
        self.clock, self.ledger = HandClock(), MemoryLedger()
        self.handler = ScriptedHandler(answer)
        self.run = Run(compiled)
        judge, handlers = AcceptingJudge(), {"function": self.handler}
        nothing, self.keeper = NoArtifacts(), MemoryKeeper()
        self.engine = LocalEngine(
            self.run, self.ledger, handlers, judge, self.clock, nothing, self.keeper
        )

    def drive(self) -> Self:
        deadline = to_text(self.run.plan.deadline.resolve(START))
        body = {"run": "r", "plan": "", "inputs": {}, "env": {}, "deadline": deadline}
        started = Event(START, "run_started", body=body)
        self.run.apply(started)
        asyncio.run(self.engine.drive(started))
        return self

    def ends(self) -> dict[str, str]:
        return {name: node.status for name, node in self.run.state.nodes.items()}

    def bodies(self, kind: str) -> list[Any]:
        return [event.body for event in self.ledger.events if event.kind == kind]


async def done(turn: Turn) -> TurnResult:
    return TurnResult.done({"result": turn.item_id}, usage={})


def drive(items: Sequence[Item], answer: Answer = done, **fields: Any) -> Driven:
    return Driven(plan(items, **fields), answer).drive()


def test_every_turn_is_durable_and_its_result_counts() -> None:
    driven = drive([item("a"), item("b", depends_on=("a",))])
    assert driven.handler.turns == ["a", "b"]
    assert driven.ends() == {"a": "succeeded", "b": "succeeded"}
    assert driven.ledger.events[-1].kind == "run_ended"
    assert driven.ledger.renewed == [START]


def test_a_turn_that_is_cancelled_before_it_began_is_never_called() -> None:
    items = [item("a"), item("b", budget=Budget(model_calls=3))]
    driven = drive(items, max_concurrency=2, budget=Budget(model_calls=2))
    assert driven.handler.turns == []
    assert driven.ends() == {"a": "cancelled", "b": "denied"}
    assert driven.run.state.status == "failed"


def test_a_turn_whose_time_is_over_is_cancelled_once() -> None:
    cancelled: list[str] = []
    other_may_end = asyncio.Event()

    async def answer(turn: Turn) -> TurnResult:
        if turn.item_id == "other":
            await other_may_end.wait()
            return await done(turn)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append("by its timer")
        driven.clock.time = turn.deadline
        other_may_end.set()
        try:
            # Time for the engine to look at the clock and find that the deadline has passed.
            for _ in range(20):
                await asyncio.sleep(0)
        except asyncio.CancelledError:
            cancelled.append("by the machine")
        return TurnResult.failed("cancelled", "stopped", usage={})

    items = [item("late", deadline=Deadline(within=1), required=False), item("other")]
    driven = Driven(plan(items, max_concurrency=2), answer)
    driven.drive()
    assert driven.bodies("turn_cancelled")
    assert cancelled == ["by its timer"]
    assert driven.ends() == {"late": "failed", "other": "succeeded"}
    assert driven.run.state.nodes["late"].kind == "deadline"


def test_the_end_of_a_timeout_says_so() -> None:
    async def hangs(turn: Turn) -> TurnResult:
        await asyncio.Event().wait()
        return TurnResult.done({})

    driven = drive([item("a", timeout=1)], hangs)
    (body,) = driven.bodies("turn_ended")
    assert (body["kind"], body["message"]) == ("timeout", "timeout after 0.001 s")


@pytest.mark.parametrize("bad", [{"bogus": 0}, {"tokens": -1}, {"tool_calls": 2**53}])
def test_what_is_sound_of_a_bad_usage_is_paid(bad: dict[str, int]) -> None:
    async def answer(_: Turn) -> TurnResult:
        return TurnResult.done({"result": 1}, usage={"model_calls": 9, **bad})

    driven = drive([item("a")], answer, budget=Budget(model_calls=10))
    (body,) = driven.bodies("turn_ended")
    assert (body["kind"], body["usage"]) == ("invalid-output", {"model_calls": 9})
    assert driven.run.state.account.spent["model_calls"] == 9


def test_a_signal_cancels_what_runs_and_ends_the_run() -> None:
    async def answer(turn: Turn) -> TurnResult:
        driven.engine.stop("SIGINT")
        driven.engine.stop("SIGTERM")
        await asyncio.Event().wait()
        return await done(turn)

    driven = Driven(plan([item("a")]), answer)
    driven.drive()
    assert driven.bodies("run_stopping") == [{"signal": "SIGINT"}]
    assert driven.run.state.status == "interrupted"


def test_an_error_of_a_handler_ends_the_run_and_leaves_no_turn() -> None:
    left: list[str] = []

    async def answer(turn: Turn) -> TurnResult:
        if turn.item_id == "bad":
            raise OSError("the disk is full")
        try:
            await asyncio.Event().wait()
        finally:
            left.append(turn.item_id)
        return await done(turn)

    items = [item("other"), item("bad")]
    with pytest.raises(OSError, match="disk is full"):
        drive(items, answer, max_concurrency=2)
    assert left == ["other"]


def test_a_retry_that_waits_for_a_slot_leaves_the_engine_at_rest() -> None:
    async def answer(turn: Turn) -> TurnResult:
        if turn.attempt_id == "r/a/1":
            return TurnResult.failed("error", "exit status 1", usage={})
        if turn.item_id == "b":
            # The pause is over, and the only slot is taken.
            driven.clock.time += 5
            before = driven.clock.asked
            for _ in range(50):
                await asyncio.sleep(0)
            assert driven.clock.asked - before < 10
        return await done(turn)

    items = [item("a", retry=Retry(2, backoff=5)), item("b")]
    driven = Driven(plan(items), answer)
    driven.drive()
    assert driven.handler.turns == ["a", "b", "a"]


class StoppedJudge:
    """Is cut short by a signal, whose own handler comes to the engine a little later."""

    engine: LocalEngine

    def judge(self, turn: Turn, result: TurnResult) -> Verdict:
        asyncio.get_running_loop().call_later(0.01, self.engine.stop, "SIGTERM")
        raise StoppedError


def test_a_verdict_that_a_signal_cuts_short_leaves_its_turn_cancelled_by_it() -> None:
    driven = Driven(plan([item("a")]), done)
    judge, handlers = StoppedJudge(), {"function": driven.handler}
    driven.engine = judge.engine = LocalEngine(
        driven.run, driven.ledger, handlers, judge, driven.clock, NoArtifacts(), MemoryKeeper()
    )
    driven.drive()
    assert [event.kind for event in driven.ledger.events][-3:] == [
        "run_stopping",
        "turn_ended",
        "run_ended",
    ]
    assert driven.run.state.status == "interrupted"


def test_a_reading_of_a_result_that_a_signal_cuts_short_is_cancelled_by_it() -> None:
    async def answer(turn: Turn) -> TurnResult:
        asyncio.get_running_loop().call_later(0.01, driven.engine.stop, "SIGTERM")
        raise StoppedError

    driven = Driven(plan([item("a")]), answer)
    driven.drive()
    assert driven.run.state.status == "interrupted"


def test_a_condition_that_a_signal_cuts_short_is_not_decided(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def cut(expression: str, context: Any) -> bool:
        asyncio.get_running_loop().call_later(0.01, driven.engine.stop, "SIGTERM")
        raise StoppedError

    monkeypatch.setattr("forge_cli.engines.recording.holds", cut)
    driven = Driven(plan([item("a", when="inputs.x")]), done)
    driven.drive()
    assert driven.bodies("condition_evaluated") == []
    assert driven.run.state.status == "interrupted"


def test_another_controller_makes_again_what_was_lost() -> None:
    driven = Driven(plan([item("a")]), done)
    deadline = to_text(driven.run.plan.deadline.resolve(START))
    body = {"run": "r", "plan": "", "inputs": {}, "env": {}, "deadline": deadline}
    driven.run.apply(Event(START, "run_started", body=body))
    (due,) = driven.run.decide(START)
    assert isinstance(due, Assignment)
    driven.run.apply(due.event)
    more = [
        Event(START, "run_resumed", body={"epoch": 2}),
        Event(START, "turn_lost", "a", "r/a/1", {"reason": "its controller was lost"}),
    ]
    for event in more:
        driven.run.apply(event)
    asyncio.run(driven.engine.drive(*more))
    assert driven.handler.turns == ["a"]
    assert driven.run.state.status == "complete"
    assert [event.kind for event in driven.ledger.events[:3]] == [
        "run_resumed",
        "turn_lost",
        "turn_started",
    ]


def test_the_ledger_says_what_digest_is_to_be_approved() -> None:
    driven = drive([item("a", approval=True)])
    (sealed,) = driven.bodies("item_sealed")
    (request,) = driven.bodies("approval_requested")
    assert sealed["digest"] == request["digest"]
    assert driven.handler.turns == []
    assert driven.run.state.status == "paused"


NO_DIGEST = f"sha256:{'0' * 64}"
FORGED = {"artifact": NO_DIGEST, "bytes": 1}


@pytest.mark.parametrize(
    ("result", "what"),
    [
        (TurnResult.failed("error", "broken", {"found": [FORGED]}), "partial"),
        (
            TurnResult.yields(None, requests=({"tool": "write_file", "arguments": FORGED},)),
            "requests",
        ),
        (TurnResult("done", {}, requests=({"tool": "x", "arguments": FORGED},)), "requests"),
        (TurnResult.done({}, posts=({"text": "see", "tags": FORGED},)), "posts"),
        (TurnResult.yields({"kept": FORGED}), "state"),
        (TurnResult.yields([FORGED]), "state"),
    ],
)
def test_what_a_turn_hands_on_refers_to_no_artifact(result: TurnResult, what: str) -> None:
    async def answer(_turn: Turn) -> TurnResult:
        return replace(result, usage={"tokens": 3})

    (body,) = drive([item("one")], answer).bodies("turn_ended")
    assert (body["status"], body["kind"], body["usage"]) == (
        "failed",
        "invalid-output",
        {"tokens": 3},
    )
    assert body["message"] == f"its {what} has the form of a reference to an artifact"
    assert NO_DIGEST not in str(body)
