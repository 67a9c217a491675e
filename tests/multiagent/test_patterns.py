"""Items whose work is done by others: elements, parallel sub-tasks, proposals."""

from typing import Any

import pytest

from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.patterns import resolve
from forge_cli.multiagent.plan import Contract, Deadline, Grant, Item
from tests.multiagent.world import START, World, done, failed, item, plan, play

PROPOSES = Grant(outputs=("value", "risk", "evidence"))


def each(values: Any, **fields: Any) -> Item:
    return item("e", pattern="each", for_each=values, **fields)


def group(*names: str, pattern: str = "parallel", **fields: Any) -> Item:
    children = tuple(f"g.{name}" for name in names)
    return item("g", role_id="", pattern=pattern, children=children, **fields)


def sub(name: str, **fields: Any) -> Item:
    return item(f"g.{name}", parent="g", **fields)


def proposal(value: Any, risk: str, digests: int = 0) -> dict[str, Any]:
    evidence = {str(n): f"sha256:{n}" for n in range(digests)}
    verdict = {"accepted": True, "reason": "", "evidence": evidence}
    return done(output={"value": value, "risk": risk, "evidence": []}, verdict=verdict)


class TestEach:
    def test_every_element_is_an_item_and_outputs_are_lists_in_element_order(self) -> None:
        world = play([each(["x", "y"], inputs={"v": "${each}"})], {"e.0": done("X"), "e.1": done()})
        assert [(t.item_id, t.inputs) for t in world.turns] == [
            ("e.0", {"v": "x"}),
            ("e.1", {"v": "y"}),
        ]
        assert world.run.state.nodes["e"].output == {"result": ["X", 1]}

    def test_the_list_may_come_from_an_output(self) -> None:
        world = play(
            [item("a"), each("${items.a.outputs.result}", depends_on=("a",))], {"a": done([1, 2])}
        )
        assert world.ends() == dict.fromkeys(["a", "e", "e.0", "e.1"], "succeeded")

    def test_no_elements_are_a_success_with_empty_lists(self) -> None:
        world = play([each([])])
        assert world.run.state.nodes["e"].output == {"result": []}

    def test_what_is_no_list_fails_the_item(self) -> None:
        world = play([each("${inputs.x}")], inputs={"x": "text"})
        assert world.reason("e") == "for_each wants a list, '${inputs.x}' is str"

    def test_no_more_elements_run_than_max_parallel(self) -> None:
        world = World(plan([each([1, 2, 3], max_parallel=2)], max_concurrency=9)).start()
        world.advance()
        assert list(world.run.state.running) == ["r/e.0/1", "r/e.1/1"]
        world.answer("r/e.0/1", done())
        world.advance()
        assert list(world.run.state.running) == ["r/e.1/1", "r/e.2/1"]

    def test_a_required_element_that_fails_stops_the_others(self) -> None:
        world = play([each([1, 2, 3])], {"e.0": failed()})
        assert world.ends() == {
            "e": "failed",
            "e.0": "failed",
            "e.1": "cancelled",
            "e.2": "cancelled",
        }
        assert world.reason("e") == "'e.0' ended failed"
        assert world.status == "failed"

    def test_optional_elements_go_on_and_the_item_is_failed_in_the_end(self) -> None:
        many = {f"e.{n}": failed() for n in range(5)}
        world = play([each(list(range(6)), required=False), item("z")], many)
        assert world.ends()["e.5"] == "succeeded"
        assert world.reason("e") == "'e.0', 'e.1', 'e.2' and 2 more ended failed"
        assert world.status == "degraded"

    def test_under_continue_a_lost_element_is_null_in_the_lists(self) -> None:
        world = play([each([1, 2], then="continue", required=False)], {"e.0": failed()})
        assert world.run.state.nodes["e"].output == {"result": [None, 1]}
        assert world.ends()["e"] == "succeeded"

    def test_budgets_are_for_each_element(self) -> None:
        budget = Budget(model_calls=2)
        world = play([each([1, 2], budget=budget)], budget=Budget(model_calls=4))
        assert [t.budget for t in world.turns] == [{"model_calls": 2}] * 2

    def test_an_element_gets_its_own_part_of_the_scope(self) -> None:
        grant = Grant(
            scope=("files:s/${each}/**",), writes=("files:s/${each}/x",), outputs=("result",)
        )
        world = play([each(["a", "b"], grant=grant, with_each=True)])
        assert [t.grant.scope for t in world.turns] == [("files:s/a/**",), ("files:s/b/**",)]
        assert world.turns[1].grant.writes == ("files:s/b/x",)

    @pytest.mark.parametrize(
        ("value", "why"),
        [
            ("..", "not canonical"),
            (".git", "reaches 'files:.git/**', beyond files:**"),
        ],
    )
    def test_an_element_that_would_reach_further_than_its_contracts_starts_nothing(
        self, value: str, why: str
    ) -> None:
        grant = Grant(scope=("files:${each}/**",), outputs=("result",))
        world = play([each("${inputs.x}", grant=grant, with_each=True)], inputs={"x": [value]})
        assert world.turns == []
        assert why in world.reason("e")

    def test_an_element_that_would_write_beyond_its_scope_starts_nothing(self) -> None:
        grant = Grant(scope=("files:a/**",), writes=("files:${each}/**",), outputs=("result",))
        contracts = {"run": Contract("run", "", "")}
        world = play([each(["b"], grant=grant, with_each=True)], contracts=contracts)
        assert "reaches 'files:b/**', beyond files:a/**" in world.reason("e")

    def test_an_element_whose_deadline_passes_fails(self) -> None:
        world = World(plan([each([1], deadline=Deadline(within=10))])).start()
        world.advance()
        world.now = START + 10
        world.advance()
        world.answer("r/e.0/1", failed("cancelled"))
        world.advance()
        assert world.run.state.nodes["e.0"].kind == "deadline"
        assert world.run.state.nodes["e"].kind == "deadline"


class TestParallel:
    def test_outputs_are_those_of_the_sub_tasks_by_name(self) -> None:
        world = play([group("a", "b"), sub("a"), sub("b")], {"g.a": done("A")})
        assert world.run.state.nodes["g"].output == {"a": {"result": "A"}, "b": {"result": 1}}
        assert world.status == "complete"

    def test_sub_tasks_wait_for_their_item_and_for_each_other(self) -> None:
        items = [
            group("a", "b", depends_on=("z",)),
            sub("a", depends_on=("g.b",)),
            sub("b"),
            item("z"),
        ]
        assert play(items).started() == ["z", "g.b", "g.a"]

    def test_overlapping_writes_block_the_aggregation(self) -> None:
        writes = Grant(scope=("files:**",), writes=("files:src/**",), outputs=("result",))
        world = play([group("a", "b"), sub("a", grant=writes), sub("b", grant=writes)])
        assert world.ends()["g"] == "failed"
        assert world.run.state.nodes["g"].kind == "conflict"
        assert "'g.a' and 'g.b' may both write" in world.reason("g")

    def test_what_elements_of_a_sub_task_write_is_what_counts(self) -> None:
        each = Grant(scope=("files:**",), writes=("files:${each}/**",), outputs=("result",))
        docs = Grant(scope=("files:**",), writes=("files:docs/**",), outputs=("result",))
        fields = {"pattern": "each", "with_each": True, "grant": each}
        tasks = [group("a", "b"), sub("b", grant=docs)]
        apart = play([*tasks, sub("a", for_each=["src", "tests"], **fields)])
        assert apart.status == "complete"
        world = play([*tasks, sub("a", for_each=["src", "docs"], **fields)])
        assert world.run.state.nodes["g"].kind == "conflict"
        assert "'g.b' and 'g.a' may both write 'docs/x'" in world.reason("g")

    def test_a_required_sub_task_that_fails_fails_the_item_and_stops_the_others(self) -> None:
        world = play([group("a", "b"), sub("a"), sub("b")], {"g.a": failed()})
        assert world.ends() == {"g": "failed", "g.a": "failed", "g.b": "cancelled"}

    def test_an_optional_sub_task_may_fail(self) -> None:
        world = play([group("a", "b"), sub("a", required=False), sub("b")], {"g.a": failed()})
        assert world.run.state.nodes["g"].output == {"a": None, "b": {"result": 1}}
        assert world.status == "degraded"

    def test_a_required_sub_task_of_an_optional_item_does_not_fail_the_run(self) -> None:
        world = play([group("a", required=False), sub("a"), item("z")], {"g.a": failed()})
        assert world.ends() == {"g": "failed", "g.a": "failed", "z": "succeeded"}
        assert world.status == "degraded"

    def test_a_skipped_sub_task_is_no_loss(self) -> None:
        world = play([group("a"), sub("a", when="x")], conditions={"g.a": False})
        assert world.run.state.nodes["g"].output == {"a": None}

    def test_sub_tasks_draw_from_the_items_budget(self) -> None:
        budget = Budget(model_calls=3)
        items = [group("a", budget=budget), sub("a", budget=Budget(model_calls=4))]
        world = play(items, budget=Budget(model_calls=9))
        assert world.ends() == {"g": "failed", "g.a": "denied"}

    def test_an_item_whose_budget_is_not_there_is_denied_with_all_its_sub_tasks(self) -> None:
        items = [group("a", budget=Budget(model_calls=3)), sub("a")]
        world = play(items, budget=Budget(model_calls=2))
        assert world.ends() == {"g": "denied", "g.a": "blocked"}

    def test_a_skipped_item_skips_its_sub_tasks(self) -> None:
        world = play([group("a", when="x"), sub("a")], conditions={"g": False})
        assert world.ends() == {"g": "skipped", "g.a": "skipped"}

    def test_a_failing_run_cancels_the_item_with_its_sub_tasks(self) -> None:
        items = [item("z"), group("a", "b"), sub("a"), sub("b")]
        world = World(plan(items, max_concurrency=2)).start()
        world.advance()
        world.answer("r/z/1", failed())
        world.advance()
        world.answer("r/g.a/1", failed("cancelled"))
        world.advance()
        assert world.ends() == dict.fromkeys(["g", "g.a", "g.b"], "cancelled") | {"z": "failed"}

    def test_elements_are_cancelled_with_the_run_too(self) -> None:
        world = World(plan([item("z"), each([1])], max_concurrency=2)).start()
        world.advance()
        world.answer("r/z/1", failed())
        world.advance()
        world.answer("r/e.0/1", failed("cancelled"))
        world.advance()
        assert world.ends() == {"z": "failed", "e": "cancelled", "e.0": "cancelled"}

    def test_running_siblings_are_cancelled_when_their_item_fails(self) -> None:
        items = [group("a", "b", required=False), sub("a"), sub("b"), item("z")]
        world = World(plan(items, max_concurrency=3)).start()
        world.advance()
        world.answer("r/g.a/1", failed())
        world.advance()
        assert [e.attempt for e in world.events if e.kind == "turn_cancelled"] == ["r/g.b/1"]
        world.answer("r/g.b/1", failed("cancelled"))
        world.advance()
        assert world.ends()["g"] == "failed"
        assert world.ends()["z"] == "running"

    def test_a_sub_task_that_pauses_keeps_its_item_open(self) -> None:
        world = play([group("a"), sub("a", then="escalate")], {"g.a": failed()})
        assert world.ends() == {"g": "opened", "g.a": "paused"}
        assert world.status == "paused"


class TestResolve:
    def proposals(self, **script: dict[str, Any]) -> World:
        items = [group(*script, pattern="resolve"), *(sub(n, grant=PROPOSES) for n in script)]
        return play(items, {f"g.{name}": answer for name, answer in script.items()})

    def test_the_lowest_risk_wins(self) -> None:
        world = self.proposals(a=proposal("x", "reversible", 9), b=proposal("y", "read_only"))
        output = world.run.state.nodes["g"].output
        assert output is not None
        assert output["resolution"] == {
            "winner": "b",
            "value": "y",
            "reason": "lowest_risk_then_evidence",
        }
        assert output["a"]["value"] == "x"

    def test_evidence_counts_by_the_digests_that_forge_holds(self) -> None:
        world = self.proposals(a=proposal("x", "reversible", 1), b=proposal("y", "reversible", 2))
        output = world.run.state.nodes["g"].output
        assert output is not None
        assert output["resolution"]["winner"] == "b"

    def test_only_irreversible_proposals_pause(self) -> None:
        world = self.proposals(a=proposal("x", "irreversible"))
        assert world.ends()["g"] == "paused"
        assert world.reason("g").startswith("it awaits an approval (approval_required)")
        assert world.status == "paused"

    def test_no_proposals_fail(self) -> None:
        items = [group("a", pattern="resolve"), sub("a", grant=PROPOSES, required=False)]
        world = play(items, {"g.a": failed()})
        assert world.reason("g") == "no_proposals"

    def test_a_lost_required_proposer_fails_the_item(self) -> None:
        world = self.proposals(a=failed(), b=proposal("y", "read_only"))
        assert world.ends()["g"] == "failed"

    @pytest.mark.parametrize(
        ("output", "fault"),
        [
            ({"value": 1, "risk": "read_only"}, ""),
            ({"value": 1}, "a proposal has no risk"),
            ({}, "a proposal has no risk and no value"),
            (
                {"value": 1, "risk": []},
                "risk [] is not one of read_only, reversible, irreversible",
            ),
            (
                {"value": 1, "risk": "low"},
                "risk 'low' is not one of read_only, reversible, irreversible",
            ),
        ],
    )
    def test_a_proposal_has_a_value_and_a_known_risk(self, output: Any, fault: str) -> None:
        assert resolve.fault(output) == fault
