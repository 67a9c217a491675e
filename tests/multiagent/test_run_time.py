"""Deadlines, signals and the shared state of a run."""

from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Deadline, Retry, StateKey
from forge_cli.multiagent.run import Evaluate
from tests.multiagent.world import HOUR, START, World, done, failed, item, plan, play


class TestTime:
    def test_the_runs_deadline_fails_what_waits_and_cancels_what_runs(self) -> None:
        world = World(plan([item("a"), item("b")], deadline=Deadline(within=1_000))).start()
        world.advance()
        assert world.run.wakeup(world.now) == START + 1_000
        world.now += 1_000
        world.advance()
        assert world.ends() == {"a": "running", "b": "failed"}
        world.answer("r/a/1", failed("cancelled"))
        world.advance()
        assert world.run.state.nodes["a"].kind == "deadline"
        assert world.status == "failed"

    def test_a_result_that_came_after_the_deadline_does_not_count(self) -> None:
        world = World(plan([item("a")], deadline=Deadline(within=1_000))).start()
        world.advance()
        world.now += 1_000
        world.advance()
        world.answer("r/a/1", done())
        world.advance()
        assert world.ends() == {"a": "failed"}

    def test_an_items_own_deadline_leaves_others_alone(self) -> None:
        items = [item("a", deadline=Deadline(within=500), required=False), item("b")]
        world = World(plan(items, max_concurrency=2)).start()
        world.advance()
        assert world.run.wakeup(world.now) == START + 500
        world.now += 500
        world.advance()
        assert [e.attempt for e in world.events if e.kind == "turn_cancelled"] == ["r/a/1"]
        world.answer("r/a/1", failed("cancelled"))
        world.answer("r/b/1", done())
        world.advance()
        assert world.ends() == {"a": "failed", "b": "succeeded"}
        assert world.status == "degraded"

    def test_an_item_that_waits_past_its_deadline_fails_without_starting(self) -> None:
        items = [item("a"), item("b", deadline=Deadline(within=500), required=False)]
        world = World(plan(items)).start()
        world.advance()
        world.now += 500
        world.advance()
        assert world.ends() == {"a": "running", "b": "failed"}
        assert world.reason("b") == "its deadline has passed"

    def test_a_deadline_of_an_item_that_ended_is_forgotten(self) -> None:
        items = [item("a", deadline=Deadline(within=500)), item("b")]
        world = World(plan(items)).start()
        world.advance()
        world.answer("r/a/1", done())
        world.advance()
        world.now += 500
        world.advance()
        assert world.ends() == {"a": "succeeded", "b": "running"}

    def test_the_earlier_of_a_time_and_a_span_holds(self) -> None:
        assert Deadline(at=10, within=5).resolve(3) == 8
        assert Deadline(at=7, within=5).resolve(3) == 7

    def test_a_turn_gets_no_more_time_than_its_deadline_leaves(self) -> None:
        world = play([item("a", timeout=9_000)], deadline=Deadline(within=4_000))
        assert world.turns[0].timeout == 4_000

    def test_a_run_asks_for_no_time_that_has_passed(self) -> None:
        items = [item("a", deadline=Deadline(within=500)), item("b", retry=Retry(2))]
        world = World(plan(items, max_concurrency=2, deadline=Deadline(within=1_000))).start()
        world.advance()
        for wakeup in (START + 500, START + 1_000, None):
            assert world.run.wakeup(world.now) == wakeup
            world.now = wakeup or world.now
            world.advance()

    def test_a_retry_that_waits_for_a_slot_is_not_asked_for_again(self) -> None:
        items = [item("a", retry=Retry(2, backoff=5)), item("b")]
        world = World(plan(items)).start()
        world.advance()
        world.answer("r/a/1", failed())
        world.advance()
        world.wait()
        world.advance()
        assert world.ends() == {"a": "retrying", "b": "running"}
        assert world.run.wakeup(world.now) == START + HOUR

    def test_an_item_that_awaits_a_decision_is_not_started_by_what_it_waited_for(self) -> None:
        late = item("b", after=("a",), deadline=Deadline(within=500), then="escalate")
        world = World(plan([item("a"), late])).start()
        world.advance()
        world.now += 500
        world.advance()
        world.answer("r/a/1", done())
        world.advance()
        assert world.ends() == {"a": "succeeded", "b": "paused"}
        assert world.status == "paused"


class TestStopping:
    def test_a_signal_cancels_what_runs_and_leaves_the_run_resumable(self) -> None:
        world = World(plan([item("a"), item("b")])).start()
        world.advance()
        world.record(Event(world.now, "run_stopping", body={"signal": "SIGINT"}))
        world.advance()
        world.answer("r/a/1", failed("cancelled"))
        world.advance()
        assert world.ends() == {"a": "ready", "b": "ready"}
        assert world.status == "interrupted"

    def test_a_signal_after_the_last_result_changes_nothing(self) -> None:
        world = World(plan([item("a")])).start()
        world.advance()
        world.answer("r/a/1", done())
        world.record(Event(world.now, "run_stopping", body={"signal": "SIGTERM"}))
        world.advance()
        assert world.status == "complete"

    def test_conditions_are_not_evaluated_once_the_run_stops(self) -> None:
        world = World(plan([item("a", when="inputs.x")])).start()
        world.record(Event(world.now, "run_stopping", body={"signal": "SIGINT"}))
        world.advance()
        assert world.status == "interrupted"


class TestState:
    def test_each_accepted_result_is_one_version_with_one_writer(self) -> None:
        world = play([item("a"), item("b")])
        assert world.run.state.commits.version == 2
        assert [(v, i, a) for v, i, a, _ in world.run.state.commits.writers] == [
            (1, "a", "r/a/1"),
            (2, "b", "r/b/1"),
        ]

    def test_a_key_that_another_changed_meanwhile_is_a_conflict(self) -> None:
        two = [item(n, return_key="k", required=False) for n in ("a", "b")]
        world = World(plan(two, max_concurrency=2)).start()
        world.advance()
        world.answer("r/a/1", done("mine"))
        world.answer("r/b/1", done("yours"))
        world.advance()
        assert world.ends() == {"a": "succeeded", "b": "failed"}
        assert "conflict" in world.reason("b")
        assert "version 1" in world.reason("b")
        assert "version 0" in world.reason("b")
        assert world.run.state.nodes["b"].partial == {"result": "yours"}

    def test_a_key_that_another_changed_while_elements_ran_is_a_conflict(self) -> None:
        each = item("e", pattern="each", for_each=[1], return_key="k", required=False)
        world = World(plan([each, item("b", return_key="k")], max_concurrency=2)).start()
        world.advance()
        world.answer("r/b/1", done())
        world.answer("r/e.0/1", done())
        world.advance()
        assert world.ends() == {"b": "succeeded", "e": "failed", "e.0": "succeeded"}
        assert "changed by 'b' in version 1, the turn had read version 0" in world.reason("e")

    def test_an_item_of_many_elements_returns_them_at_once_in_their_order(self) -> None:
        each = item("e", pattern="each", for_each=[1, 2], return_key="result")
        state = {"result": StateKey("worker", "append")}
        world = World(plan([each], max_concurrency=2, state=state)).start()
        world.advance()
        world.answer("r/e.1/1", done("second"))
        world.answer("r/e.0/1", done("first"))
        world.advance()
        assert world.run.state.commits.values["result"] == ["first", "second"]

    def test_merged_keys_take_what_all_wrote(self) -> None:
        two = [item(n, return_key="result", required=False) for n in ("a", "b")]
        state = {"result": StateKey("worker", "append")}
        world = World(plan(two, max_concurrency=2, state=state)).start()
        world.advance()
        world.answer("r/a/1", done([1]))
        world.answer("r/b/1", done([2]))
        world.advance()
        assert world.run.state.commits.values["result"] == [1, 2]

    def test_what_is_kept_as_an_artifact_cannot_be_joined(self) -> None:
        large = done({"artifact": "sha256:00", "bytes": 300_000})
        state = {"result": StateKey("worker", "append")}
        world = play([item("a", return_key="result")], {"a": large}, state=state)
        assert world.reason("a") == (
            "state 'result' joins lists, and what 'a' returns is kept as an artifact of 300000"
            " bytes; return less"
        )

    def test_writers_of_different_keys_never_conflict(self) -> None:
        two = [item("a", return_key="one"), item("b", return_key="two")]
        world = World(plan(two, max_concurrency=2)).start()
        world.advance()
        world.answer("r/a/1", done())
        world.answer("r/b/1", done())
        world.advance()
        assert world.status == "complete"

    def test_the_state_holds_results_and_nothing_of_the_plan(self) -> None:
        world = play([item("a"), item("b", return_key="result")])
        values = {"a": {"result": 1}, "b": {"result": 1}, "result": 1}
        assert world.run.state.commits.values == values

    def test_a_condition_looks_at_the_state_itself_and_not_at_a_copy(self) -> None:
        world = World(plan([item("a", when="state.k")])).start()
        (command,) = world.run.decide(world.now)
        assert isinstance(command, Evaluate)
        assert command.context["state"] is world.run.state.commits.values
