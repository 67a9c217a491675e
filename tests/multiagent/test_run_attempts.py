"""What a run makes of attempts: retries, unknown fates, further turns, responses."""

import pytest

from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Retry
from tests.multiagent.world import HOUR, START, World, done, failed, item, plan, play, role


class TestRetry:
    retry = Retry(3, backoff=2_000, factor=2_000, maximum=3_000)

    def test_failed_attempts_are_made_again_after_growing_pauses(self) -> None:
        world = play([item("a", retry=self.retry)], {"a": [failed(), failed("timeout"), done()]})
        starts = [e.time - START for e in world.events if e.kind == "turn_started"]
        assert starts == [0, 2_000, 5_000]
        assert [t.attempt_id for t in world.turns] == ["r/a/1", "r/a/2", "r/a/3"]
        assert len({t.key for t in world.turns}) == 1
        assert world.status == "complete"

    def test_the_last_failure_counts(self) -> None:
        world = play(
            [item("a", retry=self.retry)], {"a": [failed(), failed(), failed(message="x")]}
        )
        assert world.ends() == {"a": "failed"}
        assert world.reason("a") == "x"

    def test_kinds_that_are_not_listed_are_not_retried(self) -> None:
        retry = Retry(3, on=frozenset({"timeout"}))
        world = play([item("a", retry=retry)], {"a": failed("error")})
        assert len(world.turns) == 1

    def test_pauses_end_at_the_maximum(self) -> None:
        assert [self.retry.pause(n) for n in (1, 2, 9)] == [2_000, 3_000, 3_000]
        assert Retry(2, backoff=5).pause(1) == 5

    def test_another_items_retry_does_not_hold_up_who_is_ready(self) -> None:
        items = [item("a", retry=Retry(2, backoff=HOUR // 2)), item("b"), item("c")]
        world = play(items, {"a": [failed(), done()]})
        assert world.started() == ["a", "b", "c", "a"]

    def test_a_failing_run_retries_nothing(self) -> None:
        items = [item("a"), item("b", retry=self.retry)]
        world = World(plan(items, max_concurrency=2)).start()
        world.advance()
        world.answer("r/a/1", failed())
        world.answer("r/b/1", failed())
        world.advance()
        assert world.ends() == {"a": "failed", "b": "failed"}

    def test_an_item_that_waits_for_its_retry_is_cancelled_with_the_run(self) -> None:
        items = [item("a"), item("b", retry=self.retry)]
        world = World(plan(items, max_concurrency=2)).start()
        world.advance()
        world.answer("r/b/1", failed())
        world.answer("r/a/1", failed())
        world.advance()
        assert world.ends() == {"a": "failed", "b": "cancelled"}


class TestHold:
    @pytest.mark.parametrize("kind", ["timeout", "cancelled"])
    def test_an_unknown_fate_is_indeterminate_and_not_tried_again(self, kind: str) -> None:
        held = item("a", on_crash="hold", retry=Retry(3))
        world = play([held, item("b", depends_on=("a",))], {"a": failed(kind)})
        assert world.ends() == {"a": "indeterminate", "b": "waiting"}
        assert len(world.turns) == 1
        assert world.status == "paused"

    def test_a_known_failure_is_a_failure(self) -> None:
        world = play([item("a", on_crash="hold")], {"a": failed("error")})
        assert world.status == "failed"


class TestTurns:
    def test_a_turn_that_yields_is_followed_by_another_with_its_state(self) -> None:
        first = {"status": "yields", "state": {"n": 1}, "usage": {}}
        world = play([item("a")], {"a": [first, done()]})
        assert [t.attempt_id for t in world.turns] == ["r/a/1", "r/a/1"]
        assert [t.key for t in world.turns] == ["r/a/turn-1", "r/a/turn-2"]
        assert world.turns[1].state == {"n": 1}

    def test_a_state_that_grows_is_put_together_again(self) -> None:
        first = {"status": "yields", "added": {"keep": 0, "add": [1]}, "usage": {}}
        second = {"status": "yields", "added": {"keep": 1, "add": [2, 3]}, "usage": {}}
        world = play([item("a")], {"a": [first, second, done()]})
        assert [t.state for t in world.turns] == [None, [1], [1, 2, 3]]

    def test_an_item_that_never_ends_is_stopped(self) -> None:
        world = play([item("a")], {"a": {"status": "yields", "state": 1, "usage": {}}})
        assert len(world.turns) == 50
        assert world.reason("a") == "it was not done after 50 turns"

    def test_a_handler_may_be_configured_with_another_number_of_turns(self) -> None:
        script = {"a": {"status": "yields", "state": 1, "usage": {}}}
        world = play([item("a")], script, roles=[role(max_turns=3)])
        assert len(world.turns) == 3
        assert world.reason("a") == "it was not done after 3 turns"


class TestResponses:
    def test_a_result_counts_only_from_who_was_asked(self) -> None:
        world = World(plan([item("a")])).start()
        world.advance()
        body = {"sender": "worker#b", **done()}
        with pytest.raises(ValueError, match="'worker#b' was not asked, 'worker#a' was"):
            world.run.apply(Event(START, "turn_ended", "a", "r/a/1", body))

    @pytest.mark.parametrize(
        ("attempt", "why"),
        [("r/a/1", "late"), ("r/a/2", "foreign"), ("r/x/1", "foreign"), ("r/a/x", "foreign")],
    )
    def test_a_result_for_an_attempt_that_is_not_current_is_refused(
        self, attempt: str, why: str
    ) -> None:
        world = World(plan([item("a"), item("b")])).start()
        world.advance()
        world.answer("r/a/1", done())
        body = {"sender": "worker#a", **done()}
        with pytest.raises(ValueError, match=why):
            world.run.apply(Event(START, "turn_ended", "a", attempt, body))

    def test_an_answer_to_an_earlier_turn_of_the_attempt_is_late(self) -> None:
        world = World(plan([item("a")])).start()
        world.advance()
        world.answer("r/a/1", {"status": "yields", "state": 1, "usage": {}})
        world.advance()
        body = {"sender": "worker#a", **done()}
        with pytest.raises(ValueError, match="late: it answers turn 1, and turn 2 runs"):
            world.run.apply(Event(START, "turn_ended", "a", "r/a/1", body))
        world.run.apply(Event(START, "turn_ended", "a", "r/a/1", {**body, "turn": 2}))
        assert world.ends() == {"a": "succeeded"}

    def test_an_ignored_response_changes_nothing(self) -> None:
        world = World(plan([item("a")])).start()
        body = {"sender": "x#y", "reason": "late"}
        before = world.run.decide(world.now)
        world.record(Event(START, "response_ignored", "a", "r/a/9", body))
        assert world.run.decide(world.now) == before
