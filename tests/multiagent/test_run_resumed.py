"""A run that another controller goes on with: what was lost, and what it costs."""

import pytest

from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.plan import Deadline, Retry
from forge_cli.multiagent.recovery import LOST
from tests.multiagent.world import (
    HOUR,
    START,
    World,
    done,
    failed,
    item,
    plan,
    play,
    rejected,
    role,
)


def crashed(*items: object, **fields: object) -> World:
    """A run whose controller is lost while its first turns are in flight."""
    world = World(plan(items, **fields)).start()  # type: ignore[arg-type]
    world.advance()
    return world


def node(world: World, item_id: str = "a") -> Node:
    return world.run.state.nodes[item_id]


class TestControllers:
    def test_an_interrupted_run_goes_on_where_it_stopped(self) -> None:
        world = World(plan([item("a"), item("b"), item("c")]), {"b": failed("cancelled")}).start()
        world.advance()
        world.answer("r/a/1", done())
        world.advance()
        world.record(Event(START, "run_stopping", body={"signal": "SIGINT"}))
        world.advance()
        world.answer("r/b/1", failed("cancelled"))
        world.advance()
        assert world.status == "interrupted"
        world.script = {}
        world.resume().go_on()
        assert world.status == "complete"
        assert world.started() == ["a", "b", "b", "c"]

    def test_each_controller_has_a_higher_epoch(self) -> None:
        world = crashed(item("a")).resume(3)
        with pytest.raises(ValueError, match="epoch 3 cannot follow epoch 3"):
            world.resume(3)

    @pytest.mark.parametrize("answer", [done(), failed()])
    def test_a_final_status_is_never_left(self, answer: dict[str, object]) -> None:
        world = play([item("a")], {"a": answer})
        with pytest.raises(ValueError, match="cannot happen after the end"):
            world.resume()

    def test_a_run_that_has_not_begun_cannot_be_resumed(self) -> None:
        with pytest.raises(ValueError, match="cannot happen here"):
            World(plan([item("a")])).resume()


class TestLostTurns:
    def test_a_lost_turn_is_made_again_with_its_key(self) -> None:
        world = crashed(item("a"), item("b", depends_on=("a",))).resume().go_on()
        assert [t.attempt_id for t in world.turns] == ["r/a/1", "r/a/2", "r/b/1"]
        assert world.turns[0].key == world.turns[1].key
        assert world.status == "complete"

    def test_what_must_not_be_made_twice_awaits_a_decision(self) -> None:
        world = crashed(item("a", on_crash="hold"), item("b", depends_on=("a",))).resume().go_on()
        assert world.ends() == {"a": "indeterminate", "b": "waiting"}
        assert world.reason("a") == LOST
        assert world.status == "paused"

    def test_an_attempt_that_is_lost_again_and_again_awaits_a_decision(self) -> None:
        world = crashed(item("a"))
        for epoch in (2, 3, 4):
            world.resume(epoch).advance()
        assert world.ends() == {"a": "indeterminate"}
        assert len(world.turns) == 3

    def test_an_item_whose_turn_was_lost_ends_once_at_its_deadline(self) -> None:
        world = crashed(item("a", required=False, deadline=Deadline(within=1)), item("b"))
        world.now += 1
        world.resume().go_on()
        assert world.ends() == {"a": "failed", "b": "succeeded"}

    @pytest.mark.parametrize(
        "answer", [{"status": "yields", "state": 1, "usage": {}}, rejected(), failed("cancelled")]
    )
    def test_a_turn_that_was_stopped_is_not_made_again_after_its_deadline(
        self, answer: dict[str, object]
    ) -> None:
        world = crashed(item("a", deadline=Deadline(within=5), retry=Retry(2, backoff=1)))
        world.record(Event(START, "run_stopping", body={"signal": "SIGINT"}))
        world.advance()
        world.answer("r/a/1", answer)
        world.advance()
        assert world.status == "interrupted"
        world.now += 5
        world.resume().go_on()
        assert len(world.turns) == 1
        assert world.ends() == {"a": "failed"}

    def test_a_lost_turn_counts_as_no_try(self) -> None:
        world = crashed(item("a", retry=Retry(2, backoff=1_000)))
        world.script = {"a": lambda turn: done() if turn.attempt_id == "r/a/3" else failed()}
        world.resume().go_on()
        assert world.status == "complete"
        assert world.now == START + 1_000

    def test_a_further_turn_that_is_lost_is_made_again_from_the_same_state(self) -> None:
        world = crashed(item("a"))
        world.answer("r/a/1", {"status": "yields", "state": {"n": 1}, "usage": {}})
        world.advance()
        world.resume().go_on()
        asked = [(t.attempt_id, t.key, t.state) for t in world.turns]
        assert asked[1:] == [
            ("r/a/1", "r/a/turn-2", {"n": 1}),
            ("r/a/2", "r/a/turn-2", {"n": 1}),
        ]

    def test_a_lost_turn_is_paid_by_nobody(self) -> None:
        once = Budget(model_calls=4)
        asker = role(max_usage=once)
        world = crashed(item("a"), roles=[asker], budget=once)
        world.script = {"a": done(usage={"model_calls": 3})}
        world.resume().go_on()
        state = world.run.state
        assert world.status == "complete"
        assert state.account.spent["model_calls"] == 3
        assert state.account.reserved["model_calls"] == 0
        assert state.indeterminate.spent["model_calls"] == 4

    def test_a_late_answer_to_a_lost_turn_is_refused(self) -> None:
        world = crashed(item("a")).resume()
        body = {"sender": "worker#a", **done()}
        with pytest.raises(ValueError, match="late: the attempt has ended"):
            world.run.apply(Event(START, "turn_ended", "a", "r/a/1", body))

    def test_what_was_being_stopped_for_good_ends_as_stopped(self) -> None:
        world = crashed(item("a"), item("b"), item("c", on_crash="hold"), max_concurrency=3)
        world.answer("r/a/1", failed())
        world.advance()
        world.resume().go_on()
        assert world.ends() == {"a": "failed", "b": "cancelled", "c": "indeterminate"}
        assert world.status == "failed"

    def test_a_failing_run_makes_nothing_again(self) -> None:
        world = crashed(item("a"), item("b"), max_concurrency=2)
        world.answer("r/a/1", failed())
        world.resume().go_on()
        assert world.ends() == {"a": "failed", "b": "cancelled"}

    def test_a_turn_whose_time_was_over_has_failed(self) -> None:
        world = crashed(item("a", deadline=Deadline(within=10), required=False))
        world.now += 10
        world.advance()
        world.resume().go_on()
        assert world.ends() == {"a": "failed"}
        assert node(world).kind == "deadline"
        assert world.status == "degraded"

    def test_a_turn_that_a_signal_was_stopping_is_made_again(self) -> None:
        world = crashed(item("a"))
        world.record(Event(START, "run_stopping", body={"signal": "SIGINT"}))
        world.advance()
        world.resume().go_on()
        assert world.status == "complete"

    def test_the_deadline_of_the_run_does_not_move(self) -> None:
        world = crashed(item("a"))
        world.now += HOUR
        world.resume().go_on()
        assert world.ends() == {"a": "failed"}
        assert world.reason("a") == "the run's deadline has passed"
