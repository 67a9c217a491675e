"""The run machine, driven by a scripted world."""

from typing import Any

import pytest

from forge_cli.multiagent.assignment import Assignment
from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Deadline, Grant, Retry, StateKey
from forge_cli.multiagent.run import Run
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

CALLS = Budget(model_calls=2)


def test_independent_items_start_in_manifest_order() -> None:
    world = play([item("b"), item("a"), item("c")])
    assert world.started() == ["b", "a", "c"]
    assert world.status == "complete"


def test_an_item_starts_only_after_what_it_depends_on_was_accepted() -> None:
    world = play([item("second", depends_on=("first",)), item("first")])
    assert world.started() == ["first", "second"]


def test_no_more_turns_run_than_there_are_slots() -> None:
    world = World(plan([item(f"i{n}") for n in range(5)], max_concurrency=2)).start()
    world.advance()
    assert list(world.run.state.running) == ["r/i0/1", "r/i1/1"]


def test_a_failed_required_item_ends_the_run_and_cancels_what_waits() -> None:
    world = play([item("a"), item("b"), item("c", depends_on=("a",))], {"a": failed()})
    assert world.ends() == {"a": "failed", "b": "cancelled", "c": "blocked"}
    assert world.status == "failed"
    assert world.events[-1].body["missing"] == ["worker"]
    assert world.events[-1].body["reason"] == "'a' failed and is required"


def test_a_failed_required_item_cancels_what_runs() -> None:
    world = World(plan([item("a"), item("b")], max_concurrency=2)).start()
    world.advance()
    world.answer("r/a/1", failed())
    world.advance()
    assert [(e.kind, e.attempt) for e in world.events[-1:]] == [("turn_cancelled", "r/b/1")]
    world.answer("r/b/1", failed("cancelled", "stopped"))
    world.advance()
    assert world.ends() == {"a": "failed", "b": "cancelled"}


def test_a_result_that_was_done_when_its_turn_was_cancelled_still_counts() -> None:
    world = World(plan([item("a"), item("b")], max_concurrency=2)).start()
    world.advance()
    world.answer("r/a/1", failed())
    world.advance()
    world.answer("r/b/1", done())
    world.advance()
    assert world.ends()["b"] == "succeeded"
    assert world.status == "failed"


def test_a_failed_optional_item_blocks_its_dependents_and_degrades_the_run() -> None:
    items = [item("a", required=False), item("b", depends_on=("a",), required=False), item("c")]
    world = play(items, {"a": failed()})
    assert world.ends() == {"a": "failed", "b": "blocked", "c": "succeeded"}
    assert world.status == "degraded"


def test_a_required_item_that_is_blocked_fails_the_run() -> None:
    items = [item("a", required=False), item("b", depends_on=("a",)), item("c")]
    world = play(items, {"a": failed()})
    assert world.ends()["c"] == "succeeded"
    assert world.status == "failed"


def test_continue_lets_dependents_start_with_null_outputs() -> None:
    b = item("b", depends_on=("a",), inputs={"x": "${items.a.outputs.result}"})
    world = play([item("a", then="continue", required=False), b], {"a": failed()})
    assert world.ends() == {"a": "failed", "b": "succeeded"}
    assert world.turns[-1].inputs == {"x": None}
    assert world.status == "degraded"


def test_return_partial_keeps_the_partial_result_out_of_the_state() -> None:
    items = [item("a", then="return-partial", required=False), item("b")]
    world = play(items, {"a": failed(partial="half")})
    assert world.run.state.nodes["a"].partial == "half"
    assert world.run.state.commits.values == {"b": {"result": 1}}
    assert world.status == "degraded"


@pytest.mark.parametrize("then", ["escalate", "return-partial-and-escalate"])
def test_escalate_pauses_the_branch_and_siblings_go_on(then: Any) -> None:
    items = [item("a", then=then), item("b", depends_on=("a",)), item("c")]
    world = play(items, {"a": failed(message="no key")})
    assert world.ends() == {"a": "paused", "b": "waiting", "c": "succeeded"}
    assert world.status == "paused"
    assert world.reason("a") == "no key"


def test_after_waits_for_the_end_however_it_came() -> None:
    items = [item("a", required=False), item("b", after=("a",))]
    world = play(items, {"a": failed()})
    assert world.started() == ["a", "b"]
    assert world.ends()["b"] == "succeeded"


def test_a_false_condition_skips_the_item_and_what_depends_on_it() -> None:
    items = [item("a", when="inputs.go"), item("b", depends_on=("a",)), item("c", after=("a",))]
    world = play(items, conditions={"a": False})
    assert world.ends() == {"a": "skipped", "b": "skipped", "c": "succeeded"}
    assert world.status == "complete"


def test_a_true_condition_lets_the_item_start() -> None:
    assert play([item("a", when="inputs.go")]).ends() == {"a": "succeeded"}


def test_an_item_is_blocked_once_however_much_of_what_it_needs_is_lost() -> None:
    items = [item(n, required=False) for n in ("a", "b")]
    items.append(item("c", depends_on=("a", "b"), required=False))
    world = play(items, {"a": failed(), "b": failed()})
    assert [e.item for e in world.events if e.kind == "item_ended"] == ["c"]
    assert world.reason("c") == "'a' ended failed"


def test_a_condition_that_cannot_be_evaluated_fails_the_item() -> None:
    world = play([item("a", when="x")], conditions={"a": {"value": None, "error": "it is null"}})
    assert world.ends() == {"a": "failed"}
    assert world.reason("a") == "its condition cannot be evaluated: it is null"


def test_a_condition_sees_the_items_it_is_ordered_after_and_no_others() -> None:
    items = [item("a"), item("b"), item("c", depends_on=("a",), when="items.a.outputs.result")]
    world = World(plan(items), inputs={"n": 1}).start()
    world.advance()
    world.answer("r/a/1", done(True))
    (evaluate,) = world.run.decide(world.now)
    assert not isinstance(evaluate, Event | Assignment)
    assert evaluate.context["items"] == {"a": {"status": "succeeded", "outputs": {"result": True}}}
    assert evaluate.context["inputs"] == {"n": 1}


def test_a_rejected_result_fails_and_stays_out_of_the_state() -> None:
    world = play([item("a")], {"a": rejected("verdict is missing")})
    assert world.ends() == {"a": "failed"}
    assert world.reason("a") == "verdict is missing"
    assert world.run.state.commits.values == {}


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


class TestBudget:
    def test_an_item_with_a_budget_reserves_it_whole_or_is_denied_at_once(self) -> None:
        three = [item(f"c{n}", budget=Budget(model_calls=9), required=False) for n in range(3)]
        world = World(plan(three, budget=Budget(model_calls=10), max_concurrency=3)).start()
        world.advance()
        assert world.ends() == {"c0": "running", "c1": "denied", "c2": "denied"}
        assert world.reason("c1") == "it needs 9 model_calls, 1 are left"

    def test_what_was_not_used_comes_back(self) -> None:
        two = [item("a", budget=Budget(model_calls=9)), item("b", budget=Budget(model_calls=8))]
        world = play(two, {"a": done(usage={"model_calls": 2})}, budget=Budget(model_calls=10))
        assert world.status == "complete"
        assert world.run.state.account.spent["model_calls"] == 10
        assert world.run.state.account.reserved["model_calls"] == 0

    def test_unknown_usage_settles_at_the_whole_slice(self) -> None:
        world = play([item("a", budget=CALLS)], {"a": done(usage=None)}, budget=CALLS)
        assert world.run.state.account.spent["model_calls"] == 2

    def test_usage_beyond_the_slice_is_booked_and_fails_the_item(self) -> None:
        world = play([item("a", budget=CALLS)], {"a": done(usage={"model_calls": 3})}, budget=CALLS)
        assert world.ends() == {"a": "failed"}
        assert world.reason("a") == "it used 3 model_calls, its slice was 2"
        assert world.run.state.account.spent["model_calls"] == 3

    def test_usage_that_nothing_limits_is_counted(self) -> None:
        world = play([item("a")], {"a": done(usage={"tokens": 500})})
        assert world.status == "complete"
        assert world.run.state.account.spent["tokens"] == 500

    def test_a_draw_that_others_hold_back_waits_for_them(self) -> None:
        roles = [role(max_usage=Budget(model_calls=2))]
        two = [item("a"), item("b")]
        fields = {"roles": roles, "max_concurrency": 2, "budget": Budget(model_calls=3)}
        world = World(plan(two, **fields)).start()
        world.advance()
        assert world.ends() == {"a": "running", "b": "ready"}
        world.answer("r/a/1", done(usage={"model_calls": 1}))
        world.advance()
        assert world.ends() == {"a": "succeeded", "b": "running"}

    def test_a_draw_that_can_never_be_met_is_denied(self) -> None:
        world = play([item("a")], roles=[role(max_usage=Budget(tokens=5))], budget=Budget(tokens=4))
        assert world.ends() == {"a": "denied"}
        assert world.status == "failed"

    def test_a_call_that_may_use_more_than_the_items_budget_fails(self) -> None:
        usage = [role(max_usage=Budget(model_calls=3))]
        world = play([item("a", budget=CALLS)], roles=usage)
        assert world.reason("a") == "one call may use 3 model_calls, its budget is 2"

    def test_a_call_reserves_no_more_of_the_items_budget_than_it_may_use(self) -> None:
        usage = [role(max_usage=Budget(model_calls=1))]
        world = play([item("a", budget=CALLS)], roles=usage)
        assert world.turns[0].budget == {"model_calls": 1}

    def test_every_attempt_pays_from_the_same_budget(self) -> None:
        spent = failed(usage={"model_calls": 1})
        world = play([item("a", budget=CALLS, retry=Retry(3))], {"a": [spent, done()]})
        assert [t.budget for t in world.turns] == [{"model_calls": 2}, {"model_calls": 1}]

    def test_what_a_paused_item_holds_keeps_others_waiting(self) -> None:
        roles = [role(max_usage=Budget(model_calls=1)), role("free")]
        items = [
            item("a", role_id="free", budget=CALLS, then="escalate"),
            item("b"),
        ]
        script = {"a": failed(usage={})}
        world = play(items, script, roles=roles, budget=CALLS)
        assert world.ends() == {"a": "paused", "b": "ready"}
        assert world.status == "paused"


class TestTime:
    def test_the_runs_deadline_fails_what_waits_and_cancels_what_runs(self) -> None:
        world = World(plan([item("a"), item("b")], deadline=Deadline(within=1_000))).start()
        world.advance()
        assert world.run.wakeup() == START + 1_000
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
        assert world.run.wakeup() == START + 500
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

    def test_merged_keys_take_what_all_wrote(self) -> None:
        two = [item(n, return_key="result", required=False) for n in ("a", "b")]
        state = {"result": StateKey("worker", "append")}
        world = World(plan(two, max_concurrency=2, state=state)).start()
        world.advance()
        world.answer("r/a/1", done([1]))
        world.answer("r/b/1", done([2]))
        world.advance()
        assert world.run.state.commits.values["result"] == [1, 2]


class TestTurns:
    def test_a_turn_that_yields_is_followed_by_another_with_its_state(self) -> None:
        first = {"status": "yields", "state": {"n": 1}, "usage": {}}
        world = play([item("a")], {"a": [first, done()]})
        assert [t.attempt_id for t in world.turns] == ["r/a/1", "r/a/1"]
        assert [t.key for t in world.turns] == ["r/a/turn-1", "r/a/turn-2"]
        assert world.turns[1].state == {"n": 1}

    def test_an_item_that_never_ends_is_stopped(self) -> None:
        world = play([item("a")], {"a": {"status": "yields", "state": 1, "usage": {}}})
        assert len(world.turns) == 50
        assert world.reason("a") == "it was not done after 50 turns"

    def test_a_request_for_children_is_refused(self) -> None:
        asked = {"status": "yields", "state": 1, "requests": [{"name": "x"}], "usage": {}}
        world = play([item("a")], {"a": asked})
        assert world.status == "failed"
        assert "children" in world.reason("a")


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

    def test_an_ignored_response_changes_nothing(self) -> None:
        world = World(plan([item("a")])).start()
        body = {"sender": "x#y", "reason": "late"}
        before = world.run.decide(world.now)
        world.record(Event(START, "response_ignored", "a", "r/a/9", body))
        assert world.run.decide(world.now) == before


class TestEnds:
    def test_no_items_are_complete(self) -> None:
        assert play([]).status == "complete"

    def test_too_few_roles_that_succeeded_fail_the_run(self) -> None:
        optional = [item("a", required=False)]
        world = play(optional, {"a": failed()}, minimum_successes=1)
        assert world.status == "failed"
        assert world.events[-1].body["reason"] == "too few roles succeeded"

    def test_another_item_of_the_role_does_not_cover_a_required_one(self) -> None:
        world = play([item("a", then="return-partial"), item("b")], {"a": failed()})
        assert world.status == "failed"

    def test_a_paused_item_is_worse_than_a_degraded_run_and_better_than_a_failed_one(self) -> None:
        items = [item("a", then="escalate"), item("b", required=False)]
        assert play(items, {"a": failed(), "b": failed()}).status == "paused"
        worse = [item("a", then="escalate"), item("b", then="return-partial")]
        assert play(worse, {"a": failed(), "b": failed()}).status == "failed"

    def test_the_runs_outputs_come_from_its_items(self) -> None:
        outputs = {"x": "${items.a.outputs.result}", "y": "${items.b.outputs.result}"}
        items = [item("a"), item("b", required=False)]
        world = play(items, {"a": done(7), "b": failed()}, outputs=outputs)
        assert world.events[-1].body["outputs"] == {"x": 7, "y": None}

    def test_nothing_happens_after_the_end(self) -> None:
        world = play([item("a")])
        assert world.run.decide(world.now) == []
        with pytest.raises(ValueError, match="after the end"):
            world.run.apply(Event(world.now, "run_stopping", body={"signal": "SIGINT"}))

    def test_nothing_happens_before_the_start(self) -> None:
        run = Run(plan([item("a")]))
        assert run.decide(0) == []
        with pytest.raises(ValueError, match="cannot happen here"):
            run.apply(Event(0, "run_stopping", body={"signal": "SIGINT"}))

    def test_an_unknown_event_is_refused(self) -> None:
        with pytest.raises(ValueError, match="unknown event 'slept'"):
            Run(plan([])).apply(Event(0, "slept"))

    def test_an_end_that_the_machine_did_not_decide_is_refused(self) -> None:
        world = World(plan([item("a")])).start()
        body = {"status": "succeeded", "reason": ""}
        with pytest.raises(ValueError, match="no result to succeed with"):
            world.record(Event(START, "item_ended", "a", body=body))


def test_the_same_events_lead_to_the_same_commands() -> None:
    items = [
        item("a", retry=Retry(2)),
        item("b", depends_on=("a",), for_each=[1, 2], pattern="each"),
        item("c", budget=CALLS, then="continue", required=False),
    ]
    world = play(items, {"a": [failed(), done()], "c": failed()}, max_concurrency=2)
    again = Run(world.plan)
    for event in world.events:
        again.apply(event)
    assert {n: s.status for n, s in again.state.nodes.items()} == world.ends()
    assert again.state.commits.values == world.run.state.commits.values


def test_a_grant_travels_with_its_turn_whole() -> None:
    grant = Grant(frozenset({"read"}), frozenset({"file-read"}), ("files:src/**",), (), ("result",))
    world = play([item("a", grant=grant)])
    assert world.turns[0].grant == grant
