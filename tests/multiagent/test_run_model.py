"""The run machine beside a model of it: answers, losses, signals and decisions in any order."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from forge_cli.multiagent.plan import Item
from forge_cli.multiagent.run import Run
from tests.multiagent.world import World, done, failed, item, plan, yields
from tests.programme import size

COUNT = 5
ENDED = frozenset({"succeeded", "failed", "denied", "cancelled", "blocked", "skipped"})
LOST = frozenset({"failed", "denied"})
GIVEN = {"output": {"result": "given"}, "verdict": {"accepted": True, "reason": ""}}


class Driven(RuleBasedStateMachine):
    """Items that depend on each other; `ended` is how each ended first, `epoch` who drives."""

    world: World

    def __init__(self) -> None:
        super().__init__()
        self.ended: dict[str, str] = {}
        self.epoch = 1
        self.stopping = False
        self.started_until_stop = 0
        self.losses: Counter[str] = Counter()

    @initialize(
        above=st.lists(st.sets(st.integers(0, COUNT - 1)), min_size=COUNT, max_size=COUNT),
        continues=st.sets(st.integers(0, COUNT - 1)),
        escalates=st.sets(st.integers(0, COUNT - 1)),
        holds=st.sets(st.integers(0, COUNT - 1)),
        at_once=st.integers(1, 3),
    )
    def open(
        self,
        above: list[set[int]],
        continues: set[int],
        escalates: set[int],
        holds: set[int],
        at_once: int,
    ) -> None:
        def made(number: int) -> Item:
            then = "continue" if number in continues else "fail"
            return item(
                f"i{number}",
                depends_on=tuple(f"i{n}" for n in sorted(above[number]) if n < number),
                then="escalate" if number in escalates else then,
                on_crash="hold" if number in holds else "rerun",
            )

        self.world = World(plan(map(made, range(COUNT)), max_concurrency=at_once)).start()
        self.world.advance()

    @property
    def state(self) -> Any:
        return self.world.run.state

    def running(self) -> list[str]:
        return list(self.state.running)

    def waiting(self) -> list[str]:
        """The items for which a person must decide."""
        stands = self.world.ends().items()
        return [name for name, status in stands if status in ("paused", "indeterminate")]

    def is_failing(self) -> bool:
        """Whether an item was lost without which the run goes to no good end."""
        items = self.world.plan.items
        return any(
            status in LOST and items[name].then != "continue"
            for name, status in self.world.ends().items()
        )

    @precondition(lambda self: self.running())
    @rule(data=st.data(), body=st.sampled_from([done(), failed(), yields(), failed("timeout")]))
    def answer(self, data: st.DataObject, body: dict[str, Any]) -> None:
        self.world.answer(data.draw(st.sampled_from(self.running())), body)
        self.world.advance()

    @precondition(lambda self: not self.state.status and not self.stopping)
    @rule()
    def stop(self) -> None:
        last = self.world.events[-1]
        stop = last._replace(kind="run_stopping", item="", attempt="", body={"signal": "SIGTERM"})
        self.world.record(stop)
        self.stopping, self.started_until_stop = True, len(self.world.turns)
        self.world.advance()

    @precondition(lambda self: self.state.status in ("", "paused", "interrupted"))
    @rule(data=st.data(), decides=st.booleans())
    def go_on(self, data: st.DataObject, decides: bool) -> None:
        """Another controller goes on, whether or not the one before it had come to an end."""
        self.epoch += 1
        self.stopping = False
        in_flight = [node.item for node in self.state.running.values()]
        self.world.resume(self.epoch)
        for lost in in_flight:
            self.losses[lost.item_id] += 1
            stands = self.world.ends()[lost.item_id]
            # Of one that may be made again a person is asked after three losses.
            assert stands == "indeterminate" or lost.on_crash == "rerun"
            due = "cancelled" if self.is_failing() else "ready"
            assert stands == due or lost.on_crash == "hold" or self.losses[lost.item_id] > 2
        if decides and (names := self.waiting()):
            name = data.draw(st.sampled_from(names))
            words = ["accept", "deny"]
            words.append("rerun" if self.world.ends()[name] == "indeterminate" else "reissue")
            word = data.draw(st.sampled_from(words))
            self.world.decide(name, word, **(GIVEN if word == "accept" else {}))
        self.world.advance()

    @rule()
    def look_again(self) -> None:
        """The same events make the same machine, which decides the same."""
        again = Run(self.world.plan)
        for event in self.world.events:
            again.apply(event)
        assert again.decide(self.world.now) == self.world.run.decide(self.world.now)
        nodes, others = self.state.nodes, again.state.nodes
        for name, node in nodes.items():
            seen = (node.status, node.attempt, node.turn, node.kind, node.reason, node.output)
            other = others[name]
            assert seen == (
                *(other.status, other.attempt, other.turn, other.kind, other.reason, other.output),
            )

    @invariant()
    def what_has_ended_stays_as_it_ended(self) -> None:
        if not hasattr(self, "world"):
            return
        for name, status in self.world.ends().items():
            assert self.ended.get(name, status) == status
            if status in ENDED:
                self.ended[name] = status

    @invariant()
    def each_turn_is_started_once_and_none_after_a_signal(self) -> None:
        if hasattr(self, "world"):
            made = [(turn.attempt_id, turn.number) for turn in self.world.turns]
            assert len(made) == len(set(made))
            assert not self.stopping or len(made) == self.started_until_stop

    @invariant()
    def as_many_run_as_may(self) -> None:
        if not hasattr(self, "world") or self.state.status:
            return
        ends, items = self.world.ends(), self.world.plan.items
        assert len(self.running()) <= self.world.plan.max_concurrency

        def fine(name: str) -> bool:
            goes_on = ends[name] in LOST and items[name].then == "continue"
            return ends[name] == "succeeded" or goes_on

        for node in self.state.running.values():
            assert all(map(fine, node.item.depends_on))
        if not (self.is_failing() or self.stopping):
            ready = [n for n in ends if ends[n] == "ready" and all(map(fine, items[n].depends_on))]
            assert not ready or len(self.running()) == self.world.plan.max_concurrency

    @invariant()
    def the_end_is_no_better_than_the_items(self) -> None:
        if not hasattr(self, "world") or not self.state.status:
            return
        status, ends = self.state.status, self.world.ends()
        assert not self.running()
        if status == "complete":
            assert set(ends.values()) == {"succeeded"}
        elif status == "paused":
            assert self.waiting()
        elif status == "interrupted":
            assert self.stopping
            assert not set(ends.values()) <= ENDED
        else:
            assert set(ends.values()) & LOST
            assert set(ends.values()) <= ENDED or status == "failed"


TestDriven = pytest.mark.programme(Driven.TestCase)
TestDriven.settings = settings(
    max_examples=size("steps") // 40, stateful_step_count=40, deadline=None
)
