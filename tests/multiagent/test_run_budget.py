"""Budgets within a run: reserved before the work starts, settled when it ends."""

from dataclasses import replace

from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.plan import Retry, Role
from tests.multiagent.world import World, done, failed, item, plan, play, role

CALLS = Budget(model_calls=2)


class TestBudget:
    def test_an_item_with_a_budget_reserves_it_whole_or_is_denied_at_once(self) -> None:
        three = [item(f"c{n}", budget=Budget(model_calls=9), required=False) for n in range(3)]
        world = World(plan(three, budget=Budget(model_calls=10), max_concurrency=3)).start()
        world.advance()
        assert world.ends() == {"c0": "running", "c1": "denied", "c2": "denied"}
        assert world.reason("c1") == "it needs 9 model_calls, 1 are left"

    def test_what_was_not_used_comes_back(self) -> None:
        two = [item("a", budget=Budget(model_calls=9)), item("b", budget=Budget(model_calls=8))]
        script = {"a": done(usage={"model_calls": 2}), "b": done(usage={"model_calls": 8})}
        world = play(two, script, budget=Budget(model_calls=10))
        assert world.status == "complete"
        assert world.run.state.account.spent["model_calls"] == 10
        assert world.run.state.account.reserved["model_calls"] == 0

    def test_metered_usage_that_is_unknown_settles_at_the_whole_slice(self) -> None:
        roles = [role(metered=["model_calls"])]
        world = play([item("a", budget=CALLS)], {"a": done(usage=None)}, roles=roles, budget=CALLS)
        assert world.run.state.account.spent["model_calls"] == 2

    def test_a_handler_that_meters_nothing_used_nothing(self) -> None:
        world = play([item("a", budget=CALLS)], {"a": done(usage=None)}, budget=CALLS)
        assert world.run.state.account.spent["model_calls"] == 0

    def test_usage_beyond_the_slice_is_booked_and_fails_the_item(self) -> None:
        world = play([item("a", budget=CALLS)], {"a": done(usage={"model_calls": 3})}, budget=CALLS)
        assert world.ends() == {"a": "failed"}
        assert world.reason("a") == "it used 3 model_calls, its slice was 2"
        assert world.run.state.account.spent["model_calls"] == 3

    def test_who_used_more_than_the_items_budget_gets_nothing_when_it_begins_again(self) -> None:
        budget = Budget(tokens=3)
        asked = item("a", budget=budget, then="escalate")
        world = play([asked], {"a": done(usage={"tokens": 5})}).resume()
        world.script = {}
        world.decide("a", "reissue").go_on()
        assert world.turns[-1].budget == {"tokens": 0}
        assert world.status == "complete"

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

    def test_a_denied_item_that_escalates_pauses_once(self) -> None:
        dear = item("a", budget=Budget(model_calls=3), then="escalate")
        world = play([dear, item("b")], budget=CALLS)
        assert world.ends() == {"a": "paused", "b": "succeeded"}
        assert [e.item for e in world.events if e.kind == "item_ended"] == ["a"]

    def test_what_one_call_may_use_beside_the_items_budget_is_drawn_from_the_run(self) -> None:
        roles = [role(max_usage=Budget(tokens=5))]
        world = play([item("a", budget=CALLS)], roles=roles, budget=Budget(tokens=4))
        assert world.ends() == {"a": "denied"}
        assert world.reason("a") == "it needs 5 tokens, 4 are left"

    def test_nothing_starts_behind_a_required_item_that_is_denied(self) -> None:
        items = [item("a", budget=Budget(model_calls=3)), item("b")]
        world = play(items, budget=CALLS, max_concurrency=2)
        assert world.started() == []
        assert world.ends() == {"a": "denied", "b": "cancelled"}

    def test_a_retry_that_waits_for_what_a_paused_item_holds_lets_the_run_pause(self) -> None:
        roles = [role(max_usage=Budget(model_calls=1)), role("free")]
        paused = item("a", role_id="free", budget=Budget(model_calls=1), then="escalate")
        again = item("b", retry=Retry(2, backoff=1))
        script = {"a": failed(usage={}), "b": [failed(usage={"model_calls": 1}), done()]}
        world = play([paused, again], script, roles=roles, budget=CALLS)
        assert world.ends() == {"a": "paused", "b": "retrying"}
        assert world.status == "paused"


def elastic(**limits: int) -> Role:
    """A role whose calls make do with less than these amounts."""
    made = role(max_usage=Budget(**limits))
    return replace(made, handler=replace(made.handler, elastic=True))


class TestElasticCalls:
    def test_a_call_takes_no_more_than_is_left_of_what_is_limited(self) -> None:
        roles = [elastic(model_calls=1, tokens=100, tool_calls=8)]
        world = play([item("a")], roles=roles, budget=Budget(model_calls=5, tokens=40))
        assert world.status == "complete"
        assert world.turns[0].budget == {"model_calls": 1, "tokens": 40}

    def test_a_call_takes_no_more_than_its_own_budget_holds(self) -> None:
        mine = [item("a", budget=Budget(tokens=30, tool_calls=0))]
        roles = [elastic(model_calls=1, tokens=100, tool_calls=8)]
        world = play(mine, roles=roles, budget=Budget(tokens=40))
        assert world.turns[0].budget == {"tokens": 30, "tool_calls": 0}

    def test_a_call_of_which_nothing_is_left_is_denied(self) -> None:
        script = {"a": [{"status": "yields", "state": 1, "usage": {"model_calls": 1}}]}
        roles = [elastic(model_calls=1)]
        world = play([item("a")], script, roles=roles, budget=Budget(model_calls=1))
        assert world.ends() == {"a": "denied"}
        assert world.reason("a") == "it needs 1 model_calls, 0 are left"

    def test_a_budget_of_nothing_holds_no_call(self) -> None:
        roles = [elastic(model_calls=1)]
        world = play([item("a", budget=Budget(model_calls=0))], roles=roles)
        assert world.ends() == {"a": "failed"}
        assert world.reason("a") == "one call may use 1 model_calls, its budget is 0"

    def test_a_call_that_others_hold_back_waits_for_them(self) -> None:
        roles = [elastic(tokens=100)]
        fields = {"roles": roles, "max_concurrency": 2, "budget": Budget(tokens=150)}
        world = World(plan([item("a"), item("b")], **fields)).start()
        world.advance()
        assert world.ends() == {"a": "running", "b": "ready"}
        world.answer("r/a/1", done(usage={"tokens": 60}))
        world.advance()
        assert world.turns[1].budget == {"tokens": 90}
