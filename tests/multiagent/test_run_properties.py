"""What holds in every run: random plans, answers, pauses and signals, checked at every event."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from forge_cli.evidence.replay import Replay
from forge_cli.multiagent.budget import DIMENSIONS, Account, Budget
from forge_cli.multiagent.events import DECIDED, Event
from forge_cli.multiagent.node import AWAITING, ENDED
from forge_cli.multiagent.plan import Deadline, Grant, Item, Plan, Retry, StateKey
from forge_cli.multiagent.run import Run
from tests.multiagent.world import World, done, failed, item, plan, rejected, role

ROLES = [
    role(),
    role("frugal", Budget(model_calls=1)),
    role("dear", Budget(model_calls=2, tokens=3)),
]
THENS = ("fail", "continue", "return-partial", "escalate", "return-partial-and-escalate")
KINDS = ("error", "timeout", "invalid-output", "cancelled")
RISKS = ("read_only", "reversible", "irreversible")


def chance(dice: Random, percent: int) -> bool:
    return dice.randrange(100) < percent


def some(dice: Random, **fields: Callable[[], Any]) -> dict[str, Any]:
    """About a third of these fields."""
    return {name: value() for name, value in fields.items() if chance(dice, 30)}


def budget(dice: Random) -> Budget:
    return Budget(
        **some(dice, model_calls=lambda: dice.randrange(6), tokens=lambda: dice.randrange(6))
    )


def order(dice: Random, earlier: Sequence[str]) -> dict[str, tuple[str, ...]]:
    before = dice.sample(earlier, min(len(earlier), dice.randrange(3)))
    cut = dice.randrange(len(before) + 1)
    return {"depends_on": tuple(before[:cut]), "after": tuple(before[cut:])}


def policy(dice: Random) -> dict[str, Any]:
    """What any item may say."""
    return some(
        dice,
        required=lambda: False,
        then=lambda: dice.choice(THENS),
        when=lambda: "x",
        budget=lambda: budget(dice),
        deadline=lambda: Deadline(within=dice.randrange(20)),
    )


def leaf(dice: Random, name: str, earlier: Sequence[str], **fields: Any) -> Item:
    """An item that takes turns, or does so for each element of a list."""
    fields |= {"role_id": dice.choice(ROLES).role_id, **policy(dice), **order(dice, earlier)}
    fields |= some(
        dice,
        retry=lambda: Retry(dice.randint(1, 3), dice.randrange(5), 2000),
        on_crash=lambda: "hold",
        timeout=lambda: dice.randint(1, 9),
        return_key=lambda: dice.choice(["strict", "joined"]),
        inputs=lambda: {"r": dice.choice(["${each}", "${budget.tokens}", "${inputs.missing}"])},
    )
    if chance(dice, 25):
        values = [1] * dice.randrange(4) if chance(dice, 90) else "${inputs.missing}"
        fields |= {"pattern": "each", "for_each": values}
        fields |= some(dice, max_parallel=lambda: dice.randint(1, 2))
    return item(name, **fields)


def group(dice: Random, name: str, earlier: Sequence[str]) -> list[Item]:
    """An item with sub-tasks, and these."""
    pattern = dice.choice(["parallel", "resolve"])
    grant = Grant(outputs=("value", "risk") if pattern == "resolve" else ("result",))
    children: list[Item] = []
    for index in range(dice.randint(1, 3)):
        before = [*earlier, *(child.item_id for child in children)]
        children.append(leaf(dice, f"{name}.{index}", before, parent=name, grant=grant))
    names = tuple(child.item_id for child in children)
    fields: dict[str, Any] = {**policy(dice), **order(dice, earlier), "children": names}
    return [item(name, role_id="", pattern=pattern, **fields), *children]


def random_plan(dice: Random) -> Plan:
    items: list[Item] = []
    for index in range(dice.randint(1, 4)):
        earlier = [i.item_id for i in items]
        name = f"i{index}"
        items += group(dice, name, earlier) if chance(dice, 30) else [leaf(dice, name, earlier)]
    return plan(
        items,
        roles=ROLES,
        budget=budget(dice),
        deadline=Deadline(within=dice.randint(0, 60)),
        max_concurrency=dice.randint(1, 3),
        minimum_successes=dice.choice([None, 0, 2]),
        state={"joined": StateKey("worker", "append")},
        outputs={"all": "${items.i0.status}"},
    )


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
    if required & (ENDED - {"succeeded", "skipped"}):
        assert world.status == "failed"
    elif state.open:
        assert world.status == ("interrupted" if state.signal else "paused")
        assert state.signal or statuses & AWAITING, "a paused run awaits a decision"
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
