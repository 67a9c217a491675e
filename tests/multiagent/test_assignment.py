"""What a turn is given."""

from typing import Any

import pytest

from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.plan import Grant
from forge_cli.multiagent.turn import TurnResult
from tests.multiagent.world import World, done, item, plan, play, role


def test_inputs_goal_and_handler_are_filled_and_recorded() -> None:
    two = [
        item("a"),
        item(
            "b",
            depends_on=("a",),
            goal="Use ${items.a.outputs.result} for ${inputs.who}",
            inputs={"x": "${items.a.outputs.result}", "s": "${items.a.status}"},
        ),
    ]
    roles = [role(argv=["run", "${goal}", "${inputs.who}"], stdin="none")]
    world = play(two, {"a": done([1])}, inputs={"who": "ann"}, roles=roles)
    turn = world.turns[-1]
    assert turn.purpose == "Use [1] for ann"
    assert turn.inputs == {"x": [1], "s": "succeeded"}
    assert turn.handler == {"argv": ["run", "Use [1] for ann", "ann"], "stdin": "none"}
    body = [e.body for e in world.events if e.kind == "turn_started"][-1]
    assert (body["goal"], body["inputs"], body["handler"]) == (
        turn.purpose,
        turn.inputs,
        turn.handler,
    )


def test_what_is_as_in_the_plan_is_not_recorded_again() -> None:
    world = play([item("a", goal="plain")], roles=[role(argv=["true"])])
    body = next(e.body for e in world.events if e.kind == "turn_started")
    assert body.keys().isdisjoint({"inputs", "goal", "handler"})


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("${run}", "r"),
        ("${attempt}", "r/a/1"),
        ("${env.HOME}", "/home/ann"),
        ("${state.k}", "v"),
        ("${scope}", "files:src/**"),
        ("${completion}", '{"type":"object"}'),
        ("${budget.cost_usd}", "2.5"),
        ("${budget}", '{"cost_usd":"2.5","model_calls":3}'),
        ("${budget.model_calls}", "3"),
    ],
)
def test_a_handler_may_name_what_its_turn_has(token: str, expected: str) -> None:
    one = item(
        "a",
        grant=Grant(scope=("files:src/**",), outputs=("result",)),
        budget=Budget(model_calls=3, cost_usd=2_500_000),
        completion="s",
        depends_on=("first",),
    )
    first = item("first", return_key="k", grant=Grant(outputs=("k",)), role_id="plain")
    script = {"first": done(output={"k": "v"})}
    roles = [role(argv=["x", token]), role("plain")]
    world = play([first, one], script, roles=roles, schemas={"s": {"type": "object"}})
    assert world.turns[-1].handler["argv"] == ["x", expected]


@pytest.mark.parametrize(
    ("token", "reason"),
    [
        ("${inputs.none}", "${inputs.none} has no value"),
        ("${items.no.outputs.x}", "there is no item 'no'"),
        ("${items.a.outputs.result}", "'a' ended running"),
        ("${budget.tokens}", "the turn has no such slice"),
    ],
)
def test_a_reference_without_a_value_fails_the_item(token: str, reason: str) -> None:
    world = play([item("a", inputs={"x": token})])
    assert world.status == "failed"
    assert reason.replace("running", "ready") in world.reason("a")


def test_a_handler_that_only_holds_literal_dollars_is_filled_too() -> None:
    world = play([item("a")], roles=[role(argv=["x", "$${HOME}"], env={"A": "$${B}"})])
    assert world.turns[-1].handler == {"argv": ["x", "${HOME}"], "env": {"A": "${B}"}}


def test_an_items_sandbox_goes_before_that_of_its_handler() -> None:
    world = play([item("a", sandbox="landlock")], roles=[role(sandbox="off")])
    assert world.turns[-1].handler == {"sandbox": "landlock"}


def test_an_items_variables_and_secrets_go_beside_those_of_its_handler() -> None:
    one = item("a", env={"B": "${run}"}, secrets=("S", "T"))
    world = play([one], roles=[role(env={"A": "1", "B": "2"}, secrets=["T"])])
    assert world.turns[-1].handler == {"env": {"A": "1", "B": "r"}, "secrets": ["T", "S"]}


def test_a_list_that_is_kept_as_an_artifact_gives_no_elements() -> None:
    each = item("e", pattern="each", for_each="${inputs.x}")
    world = play([each], inputs={"x": {"artifact": "sha256:00", "bytes": 300_000}})
    assert world.reason("e") == (
        "for_each wants a list, '${inputs.x}' is kept as an artifact of 300000 bytes;"
        " hand on a shorter one"
    )


def test_an_option_from_data_fails_the_item_before_it_starts() -> None:
    roles = [role(argv=["rm", "${inputs.x}"])]
    world = play([item("a")], roles=roles, inputs={"x": "-rf"})
    assert world.turns == []
    assert "begins with '-'" in world.reason("a")


def test_a_script_is_never_filled() -> None:
    config: dict[str, Any] = {"argv": ["bash", "-c", "echo ${HOME}"], "inputs_as_env": True}
    world = play([item("a")], roles=[role(**config)])
    assert world.turns[0].handler == config


def test_a_context_package_and_a_schema_reach_the_turn() -> None:
    fields: dict[str, Any] = {"context_packages": {"c": {"summary": "s"}}, "schemas": {"s@1": True}}
    world = play([item("a", context_package="c", completion="s@1")], **fields)
    assert world.turns[0].context == {"summary": "s"}
    assert world.turns[0].completion is True


def test_outputs_of_the_run_know_nothing_of_an_item() -> None:
    world = play([item("a")], outputs={"x": "${goal}", "r": "${run}"})
    assert world.events[-1].body["outputs"] == {"x": None, "r": "r"}


def test_a_turn_starts_again_with_the_next_number_after_an_interruption() -> None:
    world = World(plan([item("a")])).start()
    world.advance()
    assert (world.turns[0].number, world.turns[0].attempt_id) == (1, "r/a/1")


def test_results_are_made_by_what_they_say() -> None:
    assert TurnResult.done({"x": 1}).status == "done"
    assert TurnResult.failed("error", "no").message == "no"
    assert TurnResult.yields({"n": 1}).state == {"n": 1}


LARGE = {"artifact": "sha256:0", "bytes": 300_000}


def test_a_value_that_is_kept_as_an_artifact_is_handed_on_whole() -> None:
    two = [item("a"), item("b", depends_on=("a",), inputs={"x": "${items.a.outputs.result}"})]
    world = play(two, {"a": done(LARGE)})
    assert world.turns[-1].inputs == {"x": LARGE}


def test_a_value_that_is_kept_as_an_artifact_cannot_stand_in_a_text() -> None:
    two = [item("a"), item("b", depends_on=("a",), goal="Use ${items.a.outputs.result}!")]
    world = play(two, {"a": done(LARGE)})
    assert world.reason("b").startswith("a value of 300000 bytes is kept as an artifact")


def test_a_list_that_is_kept_as_an_artifact_cannot_be_gone_through() -> None:
    each = {"pattern": "each", "for_each": "${items.a.outputs.result}"}
    world = play([item("a"), item("b", depends_on=("a",), **each)], {"a": done(LARGE)})
    assert world.reason("b").endswith(
        "is kept as an artifact of 300000 bytes; hand on a shorter one"
    )


def test_the_items_own_variables_and_secrets_stand_beside_its_handlers() -> None:
    roles = [role(env={"A": "1", "B": "1"}, secrets=["KEY"])]
    world = play([item("a", env={"B": "2"}, secrets=("KEY", "TOKEN"))], roles=roles)
    assert world.turns[0].handler == {"env": {"A": "1", "B": "2"}, "secrets": ["KEY", "TOKEN"]}
