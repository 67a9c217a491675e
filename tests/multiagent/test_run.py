"""The run machine, driven by a scripted world: order, failures, ends."""

from typing import Any

import pytest

from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Grant, Retry
from forge_cli.multiagent.run import Evaluate, Run
from tests.multiagent.world import START, World, done, failed, item, plan, play, rejected

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
    assert isinstance(evaluate, Evaluate)
    assert evaluate.context["items"] == {"a": {"status": "succeeded", "outputs": {"result": True}}}
    assert evaluate.context["inputs"] == {"n": 1}


def test_a_rejected_result_fails_and_stays_out_of_the_state() -> None:
    world = play([item("a")], {"a": rejected("verdict is missing")})
    assert world.ends() == {"a": "failed"}
    assert world.reason("a") == "verdict is missing"
    assert world.run.state.commits.values == {}


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
