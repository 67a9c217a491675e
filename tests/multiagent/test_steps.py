"""Items that insert steps behind themselves: in order, within their own contract."""

from dataclasses import replace
from typing import Any

import pytest

from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.plan import Contract, Deadline, Handler, Retry
from tests.multiagent.children import (
    CODER,
    LEAD,
    READER,
    a_plan,
    answers,
    ask,
    child,
    lead,
    play,
    told,
)
from tests.multiagent.world import World, done, failed, item, role

LAST = item("z", depends_on=("a",), grant=lead().grant, role_id="lead")


def high(**fields: Any) -> Any:
    return lead(**{"max_steps": 20, "on_crash": "rerun", **fields})


def step(goal: Any = "step", **more: Any) -> dict[str, Any]:
    return {"goal": goal, "capabilities": ["read"], **more}


def split(*steps: Any) -> dict[str, Any]:
    return {"tool": "decompose_task", "arguments": {"steps": list(steps)}}


def steps_of(world: World) -> list[str]:
    return [name for name in world.started() if ".step" in name]


class TestOrder:
    def test_steps_follow_the_item_in_order_and_what_depends_on_it_waits_for_the_last(
        self,
    ) -> None:
        script = {"a": [ask(split(step("x"), step("y", role="coder"))), done("plan")]}
        world = play(script, high(), LAST, max_concurrency=4)
        assert world.started() == ["a", "a", "a.step-1-1-1", "a.step-1-1-2", "z"]
        assert world.status == "complete"
        first, second = world.turns[2:4]
        assert (first.role_id, first.purpose) == ("lead", "x")
        assert (second.role_id, second.purpose) == ("coder", "y")
        assert world.run.state.nodes["a"].output == {"result": "plan"}

    def test_the_item_is_told_what_its_steps_are_called(self) -> None:
        world = play({"a": [ask(split(step(), step())), done()]}, high())
        (answer,) = answers(world)
        assert answer["status"] == "succeeded"
        assert answer["output"] == {"steps": ["a.step-1-1-1", "a.step-1-1-2"]}

    def test_a_second_batch_goes_behind_the_first(self) -> None:
        asked = [ask(split(step(), step())), ask(split(step()), split(step())), done()]
        world = play({"a": asked}, high(), LAST, max_concurrency=9)
        assert steps_of(world) == [
            "a.step-1-1-1",
            "a.step-1-1-2",
            "a.step-2-1-1",
            "a.step-2-2-1",
        ]
        assert world.started()[-1] == "z"

    def test_what_a_step_is_given_is_data(self) -> None:
        given = {"text": "${inputs.secret}", "list": [1]}
        script = {"a": [ask(split(step("${inputs.secret}", **{"with": given}))), done()]}
        world = play(script, high(), inputs={"secret": 1})
        assert (world.turns[-1].purpose, world.turns[-1].inputs) == ("${inputs.secret}", given)

    def test_a_step_may_have_children(self) -> None:
        script = {
            "a": [ask(split(step())), done()],
            "a.step-1-1-1": [ask(child()), done()],
        }
        world = play(script, high())
        assert world.status == "complete"
        assert "a.step-1-1-1.child-1-1" in world.ends()

    def test_an_element_has_steps_of_its_own(self) -> None:
        each = high(pattern="each", for_each=["x", "y"])
        script = {f"a.{n}": [ask(split(step())), done(n)] for n in range(2)}
        world = play(script, each, LAST)
        assert world.run.state.nodes["a"].output == {"result": [0, 1]}
        assert steps_of(world) == ["a.0.step-1-1-1", "a.1.step-1-1-1"]
        assert world.started()[-1] == "z"


class TestRefusal:
    @pytest.mark.parametrize("most", [0, 20])
    def test_switched_off_the_tool_is_unknown(self, most: int) -> None:
        world = play({"a": [ask(split(step())), done()]}, high(max_steps=most))
        known = "unknown-tool: unknown tool 'decompose_task'"
        assert (told(world) if not most else "") == ("" if most else known)

    def test_more_steps_than_the_item_may_insert_are_refused_as_a_whole(self) -> None:
        asked = [ask(split(step(), step())), ask(split(step(), step())), done()]
        world = play({"a": asked}, high(max_steps=3))
        assert told(world) == "too-many: one item may insert 3 steps"
        assert len(steps_of(world)) == 2

    @pytest.mark.parametrize(
        ("steps", "reason"),
        [
            ("all", "invalid-request: 'steps' must be a list that is not empty"),
            ([], "invalid-request: 'steps' must be a list that is not empty"),
            (["x"], "invalid-request: step 1: a step must be an object"),
            (
                [step(), step(" ")],
                "invalid-request: step 2: 'goal' must be a text that is not blank",
            ),
            (
                [step(**{"with": 1})],
                "invalid-request: step 1: 'with' must be an object of inputs",
            ),
            (
                [step(capabilities=["fly"])],
                "denied: step 1: you do not hold the capability 'fly'",
            ),
            (
                [step(role="boss")],
                "denied: step 1: you may not delegate to 'boss', only to coder, reader",
            ),
            (
                [step(budget={"tokens": 8})],
                "denied: step 1: you may not spend so many tokens",
            ),
        ],
    )
    def test_what_no_item_of_the_contract_could_be_is_refused(
        self, steps: Any, reason: str
    ) -> None:
        asked = {"tool": "decompose_task", "arguments": {"steps": steps}}
        world = play({"a": [ask(asked), done()]}, high(budget=Budget(tokens=7)))
        assert told(world) == reason
        assert list(world.ends()) == ["a"]

    def test_a_step_for_another_role_needs_a_contract_that_may_follow(self) -> None:
        none = Contract("role:lead", "run", "lead", depth=0)
        script = {"a": [ask(split(step(), step(role="coder"))), done()]}
        world = play(script, high(), contracts={"role:lead": none})
        assert told(world) == "depth: step 2: no contract may follow below 'a'"

    def test_a_child_may_insert_nothing(self) -> None:
        script = {"a": [ask(child()), done()], "a.child-1-1": [ask(split(step())), done()]}
        world = play(script, high())
        (answer,) = answers(world, "a.child-1-1")
        assert answer["error"]["kind"] == "unknown-tool"


class TestFailure:
    def test_a_step_that_fails_stops_those_behind_it_and_fails_the_item(self) -> None:
        script = {"a": [ask(split(step(), step())), done()], "a.step-1-1-1": failed()}
        world = play(script, high(), LAST)
        assert world.ends() == {
            "a": "failed",
            "a.step-1-1-1": "failed",
            "a.step-1-1-2": "blocked",
            "z": "blocked",
        }
        assert world.reason("a") == "'a.step-1-1-1' ended failed"
        assert world.status == "failed"

    def test_steps_of_an_attempt_that_failed_are_left_out(self) -> None:
        script = {"a": [ask(split(step())), failed(), ask(split(step())), done()]}
        world = play(script, high(retry=Retry(2)))
        assert world.ends() == {
            "a": "succeeded",
            "a.step-1-1-1": "skipped",
            "a.step-1-1-1-2": "succeeded",
        }
        assert world.status == "complete"

    def test_an_item_that_fails_for_good_has_no_steps(self) -> None:
        script = {"a": [ask(split(step())), failed()]}
        world = play(script, high(required=False))
        assert world.ends() == {"a": "failed", "a.step-1-1-1": "blocked"}
        assert world.status == "degraded"

    def test_a_result_that_a_person_gives_stands_without_steps(self) -> None:
        script = {"a": [ask(split(step(), step())), done()], "a.step-1-1-1": failed()}
        world = play(script, high(then="escalate"))
        assert world.status == "paused"
        given = {"output": {"result": 2}, "verdict": {"accepted": True, "reason": ""}}
        world.resume().decide("a", "accept", **given).go_on()
        assert world.status == "complete"
        assert world.run.state.nodes["a"].output == {"result": 2}

    def test_an_item_whose_step_failed_can_be_reissued(self) -> None:
        script = {
            "a": [ask(split(step())), done(), ask(split(step())), done()],
            "a.step-1-1-1": failed(),
        }
        world = play(script, high(then="escalate"))
        world.resume().decide("a", "reissue").go_on()
        assert world.status == "complete"
        assert world.ends()["a.step-1-1-1-2"] == "succeeded"

    def test_steps_are_paid_from_the_items_budget(self) -> None:
        paid = replace(LEAD, handler=role("lead", Budget(tokens=2)).handler)
        asked = ask(split(step(), step(budget={"tokens": 4}))) | {"usage": {"tokens": 1}}
        script = {
            "a": [asked, done(usage={"tokens": 0})],
            "a.step-1-1-1": done(usage={"tokens": 1}),
        }
        own = high(budget=Budget(tokens=5))
        world = play(script, own, roles=(paid, CODER, READER))
        assert world.reason("a.step-1-1-2") == "it needs 4 tokens, 3 are left"
        assert world.status == "failed"

    def test_a_deadline_ends_the_steps_and_their_item(self) -> None:
        late = high(deadline=Deadline(within=5_000))
        world = World(a_plan(late), {"a": [ask(split(step(), step())), done()]}).start()
        world.until("steps_inserted")
        world.advance()
        world.answer("r/a/1", done())
        world.advance()
        world.now += 5_000
        world.advance()
        world.answer("r/a.step-1-1-1/1", failed("cancelled"))
        world.advance()
        assert world.ends() == dict.fromkeys(["a", "a.step-1-1-1", "a.step-1-1-2"], "failed")

    def test_steps_that_are_stopped_with_the_run_cancel_their_item(self) -> None:
        plan = a_plan(high(), lead("b"), max_concurrency=2)
        world = World(plan, {"a": [ask(split(step())), done()]}).start()
        world.advance()
        world.answer("r/a/1", ask(split(step())))
        world.advance()
        world.answer("r/a/1", done())
        world.advance()
        world.answer("r/b/1", failed())
        world.advance()
        world.answer("r/a.step-1-1-1/1", failed("cancelled"))
        world.advance()
        assert world.ends() == {"a": "cancelled", "b": "failed", "a.step-1-1-1": "cancelled"}

    def test_who_is_done_when_its_steps_were_stopped_with_it_is_cancelled_as_they_are(self) -> None:
        plan = a_plan(high(required=False), lead("b"), max_concurrency=2)
        world = World(plan, {"a": [ask(split(step(), step())), done()]}).start()
        world.advance()
        world.answer("r/a/1", ask(split(step(), step())))
        world.advance()
        world.answer("r/b/1", failed())
        world.advance()
        world.answer("r/a/1", done())
        world.advance()
        steps = dict.fromkeys(["a.step-1-1-1", "a.step-1-1-2"], "cancelled")
        assert world.ends() == {"a": "cancelled", "b": "failed", **steps}
        assert world.status == "failed"

    def test_an_item_that_is_late_is_not_begun_again_because_of_its_steps(self) -> None:
        late = high(deadline=Deadline(within=5_000), on_crash="hold")
        world = World(a_plan(late), {"a": [ask(split(step()))]}).start()
        world.until("steps_inserted")
        world.advance()
        world.now += 5_000
        world.advance()
        world.answer("r/a/1", failed("cancelled"))
        world.advance()
        assert world.status == "paused"
        world.resume().decide("a", "rerun").go_on()
        assert world.ends() == {"a": "failed", "a.step-1-1-1": "blocked"}


class TestCrash:
    def test_steps_go_on_where_they_were(self) -> None:
        world = World(a_plan(high(), LAST), {"a": [ask(split(step(), step())), done()]}).start()
        world.until("steps_inserted")
        world.advance()
        world.resume()
        world.advance()
        world.answer("r/a/2", done())
        world.advance()
        world.resume(3).go_on()
        assert world.status == "complete"
        assert steps_of(world) == ["a.step-1-1-1", "a.step-1-1-1", "a.step-1-1-2"]

    def test_the_branch_of_an_item_with_steps_is_undone_with_them(self) -> None:
        undo = Handler("command", {"argv": ["undo"]})
        script = {"a": [ask(split(step(), step())), done()], "a.step-1-1-2": failed()}
        world = play(script, high(then="compensate", compensate=undo), LAST)
        assert [e.item for e in world.events if e.kind == "compensation_ended"] == ["a"]
        assert world.status == "failed"


def test_a_role_that_is_a_program_inserts_steps_of_its_own() -> None:
    inline = high(role_id="inline:a", chain=("run",))
    made = role("inline:a")
    script = {"a": [ask(split(step(capabilities=[]))), done()]}
    world = play(script, inline, roles=(made,))
    assert world.run.state.nodes["a.step-1-1-1"].item.chain == ("run",)
