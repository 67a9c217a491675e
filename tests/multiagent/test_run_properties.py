"""What holds in every run: random plans, answers, pauses and signals, checked at every event."""

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from forge_cli.canonical import digest
from forge_cli.evidence.replay import Replay
from forge_cli.multiagent.budget import DIMENSIONS, Account
from forge_cli.multiagent.events import DECIDED, Event
from forge_cli.multiagent.node import AWAITING, ENDED
from forge_cli.multiagent.run import Run
from tests.multiagent.plans import chance, random_plan
from tests.multiagent.world import World, done, failed, rejected

KINDS = ("error", "timeout", "invalid-output", "cancelled")
RISKS = ("read_only", "reversible", "irreversible")


def answer(dice: Random, outputs: Sequence[str], held: Mapping[str, int]) -> dict[str, Any]:
    """What a turn comes to. Most handlers keep to their slice, some use more."""
    used = {dimension: dice.randint(0, amount) for dimension, amount in held.items()}
    usage = dice.choice([used] * 8 + [None, {"tokens": 5}])
    way = dice.choice(["done", "done", "done", "failed", "rejected", "yields"])
    if way == "failed":
        return failed(dice.choice(KINDS), usage=usage, partial=1)
    if way == "rejected":
        return rejected() | {"usage": usage}
    if way == "yields":
        return {"status": "yields", "state": 1, "usage": usage}
    output = {key: dice.choice(RISKS) if key == "risk" else [1] for key in outputs}
    return done(usage=usage, output=output)


class Watched(World):
    """A world that looks at the whole run after every event."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.ended: dict[str, str] = {}
        self.overspent = False
        self.again = Run(self.plan)
        self.replay = Replay(self.again)

    def record(self, event: Event) -> None:
        state = self.run.state
        if event.kind == "turn_started":
            assert event.item not in self.ended
            assert not state.signal
            assert not state.failing
        if event.kind == "item_ended":
            assert event.item not in self.ended
        if event.kind == "turn_ended":
            held, usage = state.running[event.attempt].held, event.body["usage"] or {}
            self.overspent |= any(amount > held.get(d, 0) for d, amount in usage.items())
        super().record(event)
        self.check()
        self.replay.expect(event, len(self.events))
        self.again.apply(event)

    def seal(self, document: Any) -> str:
        return digest(document)

    def check(self) -> None:
        state = self.run.state
        assert len(state.running) <= self.plan.max_concurrency
        for account in self.accounts():
            for dimension in DIMENSIONS:
                reserved, spent = account.reserved[dimension], account.spent[dimension]
                assert reserved >= 0
                limit = account.limits.get(dimension)
                assert limit is None or self.overspent or reserved + spent <= limit
        for name, node in state.nodes.items():
            assert self.ended.get(name, node.status) == node.status, "an end is final"
            assert node.ended != (name in state.open)
            assert (node.status == "running") == (state.running.get(node.attempt_id) is node)
            if node.ended:
                self.ended[name] = node.status

    def accounts(self) -> list[Account]:
        own = [node.account for node in self.run.state.nodes.values() if node.account is not None]
        return [self.run.state.account, *own]

    def step(self, dice: Random) -> None:
        """Time passes, a signal comes, or a turn ends."""
        running = list(self.run.state.running)
        if chance(dice, 3) and not self.run.state.signal:
            self.record(Event(self.now, "run_stopping", body={"signal": "SIGINT"}))
        elif undoing := list(self.run.state.compensating):
            node = self.run.state.compensating[undoing[0]]
            ways = ["done", "done", "cancelled" if node.cancelled else "failed"]
            self.undone(undoing[0], dice.choice(ways))
        elif not running or (chance(dice, 20) and self.run.wakeup(self.now) is not None):
            self.wait()
        else:
            self.now += dice.randrange(2)
            attempt = dice.choice(running)
            node = self.run.state.running[attempt]
            body = answer(dice, node.grant.outputs, node.held)
            if node.cancelled and chance(dice, 50):
                body = failed("cancelled", usage=None)
            self.answer(attempt, body)


def never_better_than_the_facts(world: Watched) -> None:
    """The run's status against the statuses of its items, by another way than the machine's."""
    state = world.run.state
    required = {node.status for node in state.nodes.values() if node.required}
    statuses = {node.status for node in state.nodes.values()}
    if required & (ENDED - {"succeeded", "skipped"}) or state.stuck:
        assert world.status == "failed"
    elif state.open:
        assert world.status == ("interrupted" if state.signal else "paused")
        assert state.signal or statuses & AWAITING, "a paused run awaits a decision"
        assert state.signal or not state.uncompensated
    elif statuses - {"succeeded", "skipped"}:
        assert world.status in ("degraded", "failed")
    else:
        assert world.status in ("complete", "failed")
        assert world.status == "complete" or world.plan.minimum_successes


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32))
def test_every_run_ends_within_its_limits_and_tells_the_truth(seed: int) -> None:
    dice = Random(seed)
    compiled = random_plan(dice)
    conditions = {name: chance(dice, 70) for name in compiled.items}
    world = Watched(compiled, conditions=conditions).start()
    for _ in range(1000):
        world.advance()
        if world.status:
            break
        world.step(dice)
    assert world.status, "a run ends"
    never_better_than_the_facts(world)
    each_result_is_one_version(world)
    assert not world.replay.faults, "the same events lead to the same decisions"
    assert world.replay.decided == sum(event.kind in DECIDED for event in world.events)
    if not world.run.state.open:
        assert all(not any(account.reserved.values()) for account in world.accounts())


def each_result_is_one_version(world: Watched) -> None:
    commits = world.run.state.commits
    assert [version for version, *_ in commits.writers] == list(range(1, commits.version + 1))
    succeeded = {name for name, status in world.ends().items() if status == "succeeded"}
    assert Counter(name for _, name, *_ in commits.writers) == Counter(succeeded)
