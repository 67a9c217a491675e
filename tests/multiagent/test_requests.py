"""What turns ask for and do not get, or only as far as the budget goes."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.plan import Contract, Retry
from tests.multiagent.children import (
    CODER,
    LEAD,
    READER,
    a_plan,
    agent,
    answers,
    ask,
    child,
    errors,
    lead,
    play,
    told,
)
from tests.multiagent.world import World, done, failed, role

SERVERS = {"logs": {"server": {"argv": ["logs-mcp"]}, "tools": [{"tool": "change"}]}}
SERVED = replace(LEAD, handler=replace(LEAD.handler, kind="agent", config={"servers": SERVERS}))
CHANGE = {"tool": "logs/change", "arguments": {"n": 1}}


class TestDenial:
    @pytest.mark.parametrize(
        ("request_", "reason"),
        [
            ("do it", "invalid-request: a request must be {tool: <name>, arguments: {...}}"),
            (
                {"tool": 1, "arguments": {}},
                "invalid-request: a request must be {tool: <name>, arguments: {...}}",
            ),
            ({"tool": "fly", "arguments": {}}, "unknown-tool: unknown tool 'fly'"),
            (child(task=" "), "invalid-request: 'task' must be a text that is not blank"),
            (child(name=3), "invalid-request: 'name' must be a text that is not blank"),
            (
                child(capabilities="read"),
                "invalid-request: 'capabilities' must be a list of texts; [] is nothing",
            ),
            (
                child(capabilities=None),
                "invalid-request: 'capabilities' must be a list of texts; [] is nothing",
            ),
            (
                child(depth=9),
                (
                    "invalid-request: unknown argument 'depth'; known: budget, capabilities,"
                    " instructions, name, scope, task"
                ),
            ),
            (
                child(budget=[]),
                (
                    "invalid-request: 'budget' must be an object of amounts: model_calls, cost_usd,"
                    " tokens, tool_calls"
                ),
            ),
            (
                child(budget={"tokens": -1}),
                "invalid-request: -1 is no amount of tokens",
            ),
            (child(budget={"tokens": "x"}), "invalid-request: 'x' is no amount of tokens"),
            (child(budget={"tokens": True}), "invalid-request: True is no amount of tokens"),
            (child(budget={"cost_usd": 1e-9}), "invalid-request: 1e-09 is no amount of cost_usd"),
            (child(budget={"tokens": 2.5}), "invalid-request: 2.5 is no amount of tokens"),
            (
                child(budget={"model_calls": "1e9999999"}),
                "invalid-request: '1e9999999' is no amount of model_calls",
            ),
            (
                child(budget={"cost_usd": "1e999999"}),
                "invalid-request: '1e999999' is no amount of cost_usd",
            ),
            (child(budget={"tokens": "1e30"}), "invalid-request: '1e30' is no amount of tokens"),
            (
                child(budget={"tokens": str(2**53)}),
                "invalid-request: '9007199254740992' is no amount of tokens",
            ),
            (
                child(budget={"tokens": 10**5000}),
                "invalid-request: a number beyond 2^53 is no amount of tokens",
            ),
            (
                child(budget={"cost_usd": "9007199254.740992"}),
                "invalid-request: '9007199254.740992' is no amount of cost_usd",
            ),
            (
                child(budget={"cost_usd": "0.0000001"}),
                "invalid-request: '0.0000001' is no amount of cost_usd",
            ),
            (child(budget={"tokens": None}), "invalid-request: None is no amount of tokens"),
            (
                child(scope=["src"]),
                "invalid-request: scope 'src' has no type; write 'files:src'",
            ),
            (child("boss"), "denied: you may not delegate to 'boss', only to coder, reader"),
        ],
    )
    def test_what_is_refused_is_answered_with_the_reason(self, request_: Any, reason: str) -> None:
        world = play({"a": [ask(request_), done()]})
        assert told(world) == reason
        assert list(world.ends()) == ["a"]

    def test_a_role_that_hands_on_nothing_has_no_children(self) -> None:
        script = {"a": [ask(child()), done()], "a.child-1-1": [ask(child("reader")), done()]}
        script["a.child-1-1.child-1-1"] = [ask(child()), done()]
        world = play(script)
        (error,) = errors(world, "a.child-1-1.child-1-1")
        assert error["message"] == "you may not delegate to 'coder', only to nobody"

    def test_a_chain_ends_where_no_contract_may_follow(self) -> None:
        script = {"a": [ask(child()), done()], "a.child-1-1": [ask(child("reader")), done()]}
        world = play(script, depth=1)
        (error,) = errors(world, "a.child-1-1")
        assert error == {
            "kind": "depth",
            "message": "no contract may follow below 'a.child-1-1'",
        }

    def test_a_turn_knows_to_whom_it_may_hand_on(self) -> None:
        assert self._known(depth=3) == {
            "a": ("coder", "reader"),
            "a.child-1-1": ("reader",),
            "b": (),
        }
        assert self._known(depth=1)["a.child-1-1"] == ()
        assert self._known(depth=0) == {"a": (), "b": ()}

    def _known(self, depth: int) -> dict[str, Any]:
        other = lead("b", role_id="reader", chain=("run", "role:reader"))
        script = {"a": [ask(child()), done(1)], "b": [done(1)]}
        world = play(script, lead(), other, depth=depth)
        return {turn.item_id: turn.delegates for turn in world.turns}

    def test_a_delegation_limits_the_depth_as_well(self) -> None:
        contract = Contract("delegation:d", "run", "lead", depth=0)
        under = lead(chain=("run", "delegates:lead", "delegation:d", "role:lead"))
        links = {"delegation:d": contract}
        world = play({"a": [ask(child()), done()]}, under, contracts=links)
        assert told(world) == "depth: no contract may follow below 'a'"

    def test_extra_hand_offs_in_one_turn_are_all_answered(self) -> None:
        asked = ask(child(task="1"), "nonsense", child("boss"), child(task="2"))
        world = play({"a": [asked, done()], "a.child-1-4": failed()})
        found = [(each["request"], each["status"]) for each in answers(world)]
        assert found == [
            ("a/1/1", "succeeded"),
            ("a/1/2", "denied"),
            ("a/1/3", "denied"),
            ("a/1/4", "failed"),
        ]

    def test_a_to_b_to_a_stops_at_the_third_repetition(self) -> None:
        roles = (agent("lead", ["coder"]), agent("coder", ["lead"]))
        names = ["a", "a.child-1-1", "a.child-1-1.child-1-1"]
        names += [f"{names[-1]}.child-1-1", f"{names[-1]}.child-1-1.child-1-1"]
        script = {
            name: [ask(child("lead" if index % 2 else "coder")), done()]
            for index, name in enumerate(names)
        }
        world = play(script, roles=roles, depth=9)
        assert list(world.ends()) == names
        (error,) = errors(world, names[-1])
        assert error == {
            "kind": "repetition",
            "message": "the same has been asked 2 times along this chain; do it or give up",
        }

    def test_what_is_asked_turn_after_turn_is_refused_the_third_time(self) -> None:
        world = play({"a": [ask(child()), ask(child()), ask(child()), done()]})
        assert list(world.ends()) == ["a", "a.child-1-1", "a.child-2-1"]
        assert told(world).startswith("repetition: ")

    def test_another_attempt_may_ask_anew(self) -> None:
        twice = [ask(child()), ask(child())]
        world = play({"a": [*twice, failed(), *twice, done()]}, lead(retry=Retry(2)))
        assert [each["status"] for each in answers(world)] == ["succeeded"]

    def test_a_thousand_children_below_an_item_are_the_most(self) -> None:
        hundred = [ask(*(child(task=f"{turn} {n}") for n in range(100))) for turn in range(10)]
        world = play({"a": [*hundred, ask(child()), done()]})
        assert told(world) == "too-many: one item may have 1000 children below it, and has"
        assert len(world.ends()) == 1_001

    def test_a_turn_that_asks_for_too_much_fails(self) -> None:
        world = play({"a": ask(*[child()] * 101)})
        assert world.reason("a") == "it asked for 101 things in one turn, at most 100 may be"


class TestBudgets:
    def test_of_three_children_that_ask_for_9_of_10_one_starts_and_the_others_are_denied_at_once(
        self,
    ) -> None:
        asked = ask(*(child(task=str(n), budget={"model_calls": 9}) for n in range(3)))
        own = lead(budget=Budget(model_calls=10))
        world = World(a_plan(own, max_concurrency=9), {"a": [asked, done()]}).start()
        world.until("request_denied")
        world.advance()
        assert list(world.run.state.running) == ["r/a.child-1-1/1"]
        denied = [e.body for e in world.events if e.kind == "request_denied"]
        assert [body["kind"] for body in denied] == ["budget", "budget"]
        assert [body["left"] for body in denied] == [{"model_calls": 1}] * 2
        world.go_on()
        assert errors(world) == [
            None,
            *[{"kind": "budget", "message": "9 model_calls are not left for it"}] * 2,
        ]

    def test_8_parallel_children_under_a_limit_of_5_calls_start_exactly_5(self) -> None:
        frugal = replace(CODER, handler=role("coder", Budget(model_calls=1)).handler)
        asked = ask(*(child(task=str(n)) for n in range(8)))
        paid = {f"a.child-1-{n}": done(usage={"model_calls": 1}) for n in range(1, 9)}
        world = play(
            {"a": [asked, done()], **paid},
            lead(budget=Budget(model_calls=5)),
            roles=(LEAD, frugal, READER),
            max_concurrency=9,
        )
        assert sum(name != "a" for name in world.started()) == 5
        assert [each["status"] for each in answers(world)] == ["succeeded"] * 5 + ["denied"] * 3
        assert errors(world)[5] == {"kind": "budget", "message": "its budget was not enough"}

    def test_what_a_child_did_not_use_comes_back(self) -> None:
        first, second = (ask(child(task=str(n), budget={"tokens": 9})) for n in range(2))
        world = play({"a": [first, second, done()]}, lead(budget=Budget(tokens=10)))
        assert [each["status"] for each in answers(world)] == ["succeeded"]

    def test_without_a_budget_of_its_own_it_has_that_of_its_role(self) -> None:
        dear = replace(CODER, budget=Budget(tokens=7, model_calls=4))
        world = play(
            {"a": [ask(child(budget={"model_calls": 1})), done()]},
            lead(budget=Budget(tokens=5)),
            roles=(LEAD, dear, READER),
        )
        assert world.run.state.nodes["a.child-1-1"].item.budget == Budget(tokens=5, model_calls=1)

    def test_it_may_not_have_more_than_its_role_may_spend(self) -> None:
        poor = replace(CODER, budget=Budget(cost_usd=1_500_000))
        script = {"a": [ask(child(budget={"cost_usd": "1.6"})), done()]}
        world = play(script, roles=(LEAD, poor, READER))
        assert told(world) == "denied: role 'coder' may not spend so many cost_usd"

    def test_a_child_that_ends_for_its_budget_is_no_success(self) -> None:
        over = done("", usage={"tokens": 3})
        script = {"a": [ask(child(budget={"tokens": 2})), done()], "a.child-1-1": over}
        (answer,) = answers(play(script))
        assert (answer["status"], "output" in answer) == ("failed", False)
        assert answer["error"] == {"kind": "budget", "message": "its budget was not enough"}


class TestTools:
    def test_a_call_is_a_turn_of_its_own_within_the_grant_of_who_asks(self) -> None:
        world = play({"a": [ask(write()), done()]})
        made = world.turns[1]
        assert (made.item_id, made.handler_kind) == ("a.call-1-1", "tool")
        assert (made.inputs, made.key) == (write(), "r/a/1/1")
        assert made.grant == world.turns[0].grant
        (answer,) = answers(world)
        assert (answer["tool"], answer["status"]) == ("write_file", "succeeded")

    def test_the_key_is_that_of_the_request_in_every_attempt(self) -> None:
        world = play({"a": [ask(write()), failed(), ask(write()), done()]}, lead(retry=Retry(2)))
        made = [turn for turn in world.turns if "call" in turn.item_id]
        assert [turn.item_id for turn in made] == ["a.call-1-1", "a.call-1-1-2"]
        assert [turn.key for turn in made] == ["r/a/1/1", "r/a/1/1"]

    def test_a_tool_beyond_the_grant_is_denied(self) -> None:
        world = play({"a": ask({"tool": "run_command", "arguments": {"argv": ["x"]}})})
        told = "run_command is denied: it needs process, not granted"
        assert world.reason("a") == f"{told}; refused by the capabilities of item 'a'"

    def test_a_tool_of_a_server_is_called_with_the_configuration_of_the_asker(self) -> None:
        world = World(a_plan(roles=(SERVED,)), {"a": [ask(CHANGE), done()]}).play()
        (made,) = [turn for turn in world.turns if "call" in turn.item_id]
        assert made.handler == SERVERS["logs"]
        assert made.inputs == {"tool": "logs/change", "arguments": {"n": 1}}
        assert made.grant == world.turns[0].grant
        (answer,) = answers(world)
        assert (answer["tool"], answer["status"]) == ("logs/change", "succeeded")

    def test_that_configuration_is_filled_for_the_attempt_of_the_asker(self) -> None:
        logs = {**SERVERS["logs"], "server": {"argv": ["logs-mcp", "${attempt}"]}}
        handler = replace(SERVED.handler, config={"servers": {"logs": logs}})
        roles = (replace(SERVED, handler=handler),)
        world = World(a_plan(roles=roles), {"a": [ask(CHANGE), done()]}).play()
        asked, made, _ = (turn.handler for turn in world.turns)
        assert asked["servers"]["logs"]["server"]["argv"] == ["logs-mcp", "r/a/1"]
        assert made["server"] == asked["servers"]["logs"]["server"]

    @pytest.mark.parametrize("tool", ["logs/drop", "pages/change", "logs"])
    def test_a_tool_that_no_server_of_the_asker_declares_is_unknown(self, tool: str) -> None:
        world = play({"a": [ask({**CHANGE, "tool": tool}), done()]}, roles=(SERVED,))
        assert told(world) == f"unknown-tool: unknown tool {tool!r}"

    def test_a_tool_of_a_server_is_none_of_who_is_no_agent(self) -> None:
        other = replace(SERVED, handler=replace(SERVED.handler, kind="command"))
        world = play({"a": [ask(CHANGE), done()]}, roles=(other,))
        assert told(world) == "unknown-tool: unknown tool 'logs/change'"

    def test_a_lost_call_of_a_server_is_not_made_again_whatever_the_risk(self) -> None:
        plan = a_plan(lead(risk="read_only"), roles=(SERVED,))
        world = World(plan, {"a": [ask(CHANGE), done()]}).start()
        world.until("request_admitted")
        world.advance()
        world.resume().go_on()
        assert world.ends()["a.call-1-1"] == "indeterminate"

    def test_effects_of_a_lost_turn_do_not_happen_twice_under_hold(self) -> None:
        world = World(a_plan(lead(risk="reversible")), {"a": [ask(write()), done()]}).start()
        world.until("request_admitted")
        world.advance()
        world.resume().go_on()
        assert world.ends() == {"a": "opened", "a.call-1-1": "indeterminate"}
        assert world.started() == ["a", "a.call-1-1"]

    def test_calls_of_one_turn_are_made_in_their_order_whatever_came_of_those_before(self) -> None:
        script = {"a": [ask(write(), child(), write(), write()), done()], "a.call-1-1": failed()}
        world = World(a_plan(max_concurrency=4), script).start()
        world.until("request_admitted")
        world.advance()
        assert world.started() == ["a", "a.call-1-1", "a.child-1-2"]
        world.go_on()
        assert world.started()[3:] == ["a.call-1-3", "a.call-1-4", "a"]
        kinds = [each["status"] for each in answers(world)]
        assert kinds == ["failed", "succeeded", "succeeded", "succeeded"]

    def test_a_call_that_awaits_a_person_holds_those_behind_it(self) -> None:
        script = {"a": [ask(write(), write()), done()]}
        world = World(a_plan(lead(risk="reversible")), script).start()
        world.until("request_admitted")
        world.advance()
        world.resume().go_on()
        assert world.ends()["a.call-1-2"] == "waiting"
        world.resume(3).decide("a.call-1-1", "deny").go_on()
        assert [each["status"] for each in answers(world)] == ["denied", "succeeded"]
        assert world.status == "complete"

    def test_each_call_is_paid(self) -> None:
        own = lead(budget=Budget(tool_calls=2))
        world = play({"a": [ask(write(), write(), write()), done()]}, own)
        assert [each["status"] for each in answers(world)] == ["succeeded", "succeeded", "denied"]

    def test_a_child_and_a_call_are_answered_together(self) -> None:
        world = play({"a": [ask(child(), write()), done()]})
        assert [each["tool"] for each in answers(world)] == ["delegate_subagent", "write_file"]


def write() -> dict[str, Any]:
    return {"tool": "write_file", "arguments": {"path": "src/a", "content": "x"}}


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just("read"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
AMOUNTS = st.dictionaries(
    st.sampled_from(["model_calls", "cost_usd", "tokens", "tool_calls"]),
    ODD | st.from_regex(r"-?[0-9]{1,20}([.][0-9]{1,9})?(e[0-9]{1,9})?", fullmatch=True),
)


@given(st.sampled_from(["goal", "task"]), st.data())
def test_whatever_is_asked_for_is_admitted_or_denied(task: str, data: st.DataObject) -> None:
    fields: dict[str, Any] = {
        "capabilities": st.just(["read"]) | ODD,
        task: st.just("do it") | ODD,
        "budget": AMOUNTS | ODD,
        "scope": st.lists(st.text().map("files:src/{}".format)) | ODD,
        "role" if task == "goal" else "name": st.sampled_from(["coder", "lead"]) | ODD,
    }
    more = dict.fromkeys(("with", "instructions", "steps"), ODD)
    arguments = data.draw(st.fixed_dictionaries(fields, optional=more))
    if task == "goal":
        request = {"tool": "decompose_task", "arguments": {"steps": [arguments]}}
    else:
        request = {"tool": "delegate_subagent", "arguments": arguments}
    world = play({"a": [ask(data.draw(st.just(request) | ODD)), done()]}, lead(max_steps=3))
    assert world.run.state.status in ("complete", "failed")
