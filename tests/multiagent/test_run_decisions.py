"""What persons decide: approvals, results of their own, another attempt, the end."""

import json
from dataclasses import replace
from typing import Any

import pytest

from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.decisions import narrowed, possible
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.plan import Grant, Retry, StateKey
from tests.multiagent.children import a_plan, ask, child, lead
from tests.multiagent.world import World, done, failed, item, plan, play, role

GRANT = Grant(
    frozenset({"read", "write"}),
    frozenset({"file-read", "file-write"}),
    ("files:src/**",),
    ("files:src/a/**",),
    ("result",),
)
ACCEPTED = {"accepted": True, "reason": ""}


def node(world: World, item_id: str = "a") -> Node:
    return world.run.state.nodes[item_id]


def approve(world: World, item_id: str = "a", epoch: int = 2) -> World:
    return world.resume(epoch).decide(item_id, "approve", digest=node(world, item_id).seal)


def test_a_result_that_is_given_goes_on_the_version_that_there_is() -> None:
    items = [
        item("a", return_key="k", then="escalate"),
        item("b", return_key="k"),
    ]
    world = World(plan(items, state={"k": StateKey("worker")}, max_concurrency=2)).start()
    world.advance()
    world.answer("r/b/1", done("quick"))
    world.answer("r/a/1", done("slow"))
    world.go_on()
    assert world.reason("a").startswith("conflict: state 'k' was changed by 'b'")
    world.resume().decide("a", "accept", output={"result": "both"}, verdict=ACCEPTED).go_on()
    assert world.status == "complete"
    assert world.run.state.commits.values["k"] == {"result": "both"}


class TestApproval:
    def test_an_item_that_needs_one_pauses_before_its_first_turn(self) -> None:
        world = play([item("a", approval=True), item("b", depends_on=("a",)), item("c")])
        assert world.ends() == {"a": "paused", "b": "waiting", "c": "succeeded"}
        assert world.reason("a") == "it awaits an approval"
        assert world.status == "paused"

    def test_an_irreversible_item_says_so(self) -> None:
        world = play([item("a", approval=True, risk="irreversible")])
        assert world.reason("a") == "it is irreversible and awaits an approval"

    def test_an_approved_item_goes_on(self) -> None:
        world = play([item("a", approval=True), item("b", depends_on=("a",))])
        approve(world).go_on()
        assert world.started() == ["a", "b"]
        assert world.status == "complete"

    def test_what_is_approved_is_what_the_item_would_be_given(self) -> None:
        items = [item("b"), item("a", approval=True, inputs={"b": "${items.b.outputs.result}"})]
        world = play(items, {"b": done("x")})
        request = next(e for e in world.events if e.kind == "approval_requested")
        assert request.body["inputs"] == {"b": "x"}
        assert '"inputs": {"b": "x"}' in request.body["digest"]

    def test_another_digest_approves_nothing(self) -> None:
        world = play([item("a", approval=True)]).resume()
        with pytest.raises(ValueError, match=r"awaits the approval of .*, not of sha256:0"):
            world.decide("a", "approve", digest="sha256:0")

    def test_an_approval_is_used_once(self) -> None:
        world = play([item("a", approval=True, retry=Retry(3))])
        world.script = {"a": failed()}
        approve(world).go_on()
        assert world.ends() == {"a": "paused"}
        assert world.started() == ["a"]
        world.script = {}
        approve(world, epoch=3).go_on()
        assert world.started() == ["a", "a"]
        assert world.status == "complete"

    def test_terms_that_changed_are_asked_for_anew(self) -> None:
        items = [item("a", approval=True, inputs={"n": "${attempt}"}, then="escalate")]
        world = play(items)
        world.script = {"a": failed()}
        approve(world).go_on()
        world.resume(3).decide("a", "reissue").go_on()
        digests = [e.body["digest"] for e in world.events if e.kind == "approval_requested"]
        assert len(set(digests)) == 2

    def test_a_further_turn_of_an_approved_attempt_asks_nobody(self) -> None:
        world = play([item("a", approval=True)])
        first = {"status": "yields", "state": 1, "usage": {}}
        world.script = {"a": lambda turn: first if turn.key.endswith("turn-1") else done()}
        approve(world).go_on()
        assert world.status == "complete"

    def test_one_that_has_handed_work_on_before_may_be_approved_again(self) -> None:
        world = World(a_plan(lead(approval=True, then="escalate"))).play()
        world.script = {"a": lambda turn: ask(child()) if turn.number == 1 else failed()}
        approve(world).go_on()
        world.script = {}
        world.resume(3).decide("a", "reissue", narrow={"capabilities": ["read"]}).go_on()
        assert world.turns[-1].item_id == "a"
        assert world.ends() == {"a": "paused", "a.child-1-1": "succeeded"}
        approve(world, epoch=4).go_on()
        assert world.status == "complete"

    def test_a_declined_item_ends_denied(self) -> None:
        world = play([item("a", approval=True), item("b", depends_on=("a",))])
        world.resume().decide("a", "deny").go_on()
        assert world.ends() == {"a": "denied", "b": "blocked"}
        assert world.reason("a") == "declined by ann"
        assert world.status == "failed"
        assert world.turns == []

    def test_a_lost_attempt_that_is_let_run_again_was_approved_before(self) -> None:
        world = play([item("a", approval=True, on_crash="hold")])
        approve(world).advance()
        world.resume(3).decide("a", "rerun").go_on()
        assert world.started() == ["a", "a"]
        assert world.status == "complete"

    def test_a_lost_attempt_that_is_made_again_by_itself_needs_another(self) -> None:
        world = play([item("a", approval=True, on_crash="rerun")])
        approve(world).advance()
        world.resume(3).go_on()
        assert world.ends() == {"a": "paused"}


class TestIndeterminate:
    @staticmethod
    def lost(**fields: Any) -> World:
        world = World(plan([item("a", on_crash="hold", **fields), item("b", depends_on=("a",))]))
        world.start().advance()
        return world.resume()

    def test_it_may_be_made_again(self) -> None:
        world = self.lost().decide("a", "rerun").go_on()
        assert world.status == "complete"
        assert [t.attempt_id for t in world.turns] == ["r/a/1", "r/a/2", "r/b/1"]

    def test_its_result_may_be_given(self) -> None:
        body = {"output": {"result": 7}, "verdict": ACCEPTED | {"evidence": {"result": "sha256:1"}}}
        world = self.lost().decide("a", "accept", **body).go_on()
        assert world.status == "complete"
        assert node(world).output == {"result": 7}
        assert node(world).held_digests == ("sha256:1",)
        assert world.reason("a") == ""
        assert world.started() == ["a", "b"]

    def test_a_result_that_does_not_meet_its_contract_is_none(self) -> None:
        verdict = {"accepted": False, "reason": "too short"}
        with pytest.raises(ValueError, match="what is given for 'a' is not accepted: too short"):
            self.lost().decide("a", "accept", output={"result": ""}, verdict=verdict)

    def test_an_item_for_each_element_that_paused_before_it_had_any_may_begin_again(self) -> None:
        grant = Grant(scope=("files:${each}/**",), outputs=("result",))
        fields = {"pattern": "each", "with_each": True, "for_each": "${inputs.folders}"}
        world = play([item("a", then="escalate", grant=grant, **fields)]).resume()
        with pytest.raises(ValueError, match="what 'a' may touch is narrowed element by element"):
            world.decide("a", "reissue", narrow={"scope": ["files:src/**"]})
        world.decide("a", "reissue", narrow={"capabilities": []}).advance()
        assert world.reason("a") == "${inputs.folders} has no value"

    def test_it_may_be_given_up(self) -> None:
        world = self.lost(required=False).decide("a", "deny").go_on()
        assert world.ends() == {"a": "denied", "b": "blocked"}
        assert world.status == "failed"

    def test_nobody_can_ask_for_what_does_not_fit(self) -> None:
        world = self.lost()
        assert possible(node(world)) == ("rerun", "accept", "deny")
        with pytest.raises(ValueError, match="'a' is indeterminate, so 'reissue' decides nothing"):
            world.decide("a", "reissue")

    def test_what_awaits_no_decision_takes_none(self) -> None:
        with pytest.raises(ValueError, match="'b' is waiting, so 'deny' decides nothing"):
            self.lost().decide("b", "deny")


class TestEscalated:
    @staticmethod
    def paused(**fields: Any) -> World:
        fields.setdefault("grant", GRANT)
        items = [item("a", then="escalate", **fields), item("b", depends_on=("a",))]
        return play(items, {"a": failed(message="it wanted to write setup.py")}).resume()

    def test_it_may_be_made_again_from_its_start_and_is_told_why(self) -> None:
        world = self.paused()
        world.script = {}
        world.decide("a", "reissue").go_on()
        turn = world.turns[1]
        assert world.status == "complete"
        assert turn.attempt_id == "r/a/2"
        (message,) = turn.inbox
        assert (message.sender, message.recipient) == ("run", "worker#a")
        assert message.payload == {
            "attempt": "r/a/1",
            "kind": "error",
            "reason": "it wanted to write setup.py",
        }
        assert world.turns[2].inbox == ()

    def test_a_retry_is_told_nothing_any_more(self) -> None:
        world = self.paused(retry=Retry(2))
        world.script = {"a": lambda turn: failed() if turn.inbox else done()}
        world.decide("a", "reissue").go_on()
        assert [len(turn.inbox) for turn in world.turns] == [0, 0, 1, 0, 0]
        assert world.status == "complete"

    def test_it_may_get_less_than_before(self) -> None:
        world = self.paused()
        world.script = {}
        narrow = {"capabilities": ["read"], "actions": ["file-read"], "writes": []}
        world.decide("a", "reissue", narrow=narrow).go_on()
        grant = world.turns[1].grant
        assert (grant.capabilities, grant.actions) == ({"read"}, {"file-read"})
        assert (grant.scope, grant.writes) == (("files:src/**",), ())

    def test_it_may_be_given_up(self) -> None:
        world = self.paused().decide("a", "deny").go_on()
        assert world.ends() == {"a": "denied", "b": "blocked"}
        assert world.status == "failed"

    def test_giving_up_what_is_not_required_degrades_the_run(self) -> None:
        items = [item("a", then="escalate", required=False), item("b")]
        world = play(items, {"a": failed()}).resume().decide("a", "deny").go_on()
        assert world.ends() == {"a": "denied", "b": "succeeded"}

    def test_what_is_below_a_group_has_ended_so_it_can_only_be_given_up(self) -> None:
        items = [
            item("g", role_id="", pattern="parallel", children=("g.x",), then="escalate"),
            item("g.x", parent="g"),
        ]
        world = play(items, {"g.x": failed()})
        assert possible(node(world, "g")) == ("deny",)

    def test_a_group_that_paused_before_its_parts_began_may_begin_again(self) -> None:
        items = [
            item("b"),
            item(
                "g",
                role_id="",
                pattern="parallel",
                children=("g.x",),
                then="escalate",
                depends_on=("b",),
                budget=Budget(model_calls=9),
            ),
            item("g.x", parent="g"),
        ]
        lend = {"b": done(usage={"model_calls": 5})}
        fields = {"budget": Budget(model_calls=10)}
        world = play(items, lend, roles=[role(max_usage=Budget(model_calls=5))], **fields)
        assert world.reason("g") == "it needs 9 model_calls, 5 are left"
        world.resume()
        with pytest.raises(ValueError, match="'g' is done by others, which it lends nothing"):
            world.decide("g", "reissue", narrow={"scope": []})
        world.decide("g", "reissue").go_on()
        assert world.ends()["g"] == "paused", "there is no more than before"
        world.resume(3).decide("g", "deny").go_on()
        assert world.ends() == {"b": "succeeded", "g": "denied", "g.x": "blocked"}


class TestChoice:
    """Irreversible proposals alone: one of them wins when a person approves these."""

    @staticmethod
    def paused(**more: Any) -> World:
        items = [
            item("g", role_id="", pattern="resolve", children=("g.x", "g.y")),
            item("g.x", parent="g"),
            item("g.y", parent="g"),
            item("z", depends_on=("g",)),
        ]
        proposal = done(output={"value": "push", "risk": "irreversible"})
        return play(items, {"g.x": proposal, "g.y": proposal, **more}).resume()

    def test_what_is_asked_for_are_these_proposals(self) -> None:
        world = self.paused()
        request = next(e for e in world.events if e.kind == "approval_requested")
        proposal = {"value": "push", "risk": "irreversible", "evidence_count": 0}
        assert request.body["inputs"] == {"x": proposal, "y": proposal}
        assert json.loads(request.body["digest"]) == {
            "item": "g",
            "proposals": request.body["inputs"],
        }
        assert possible(node(world, "g")) == ("approve", "deny")

    def test_approved_one_wins_by_the_usual_order(self) -> None:
        world = self.paused()
        world.decide("g", "approve", digest=node(world, "g").seal).go_on()
        assert world.status == "complete"
        output = node(world, "g").output
        assert output is not None
        assert output["resolution"]["winner"] == "x"
        assert world.started() == ["g.x", "g.y", "z"]

    def test_a_controller_that_is_lost_behind_the_approval_asks_nobody_again(self) -> None:
        world = self.paused()
        world.decide("g", "approve", digest=node(world, "g").seal).resume(3).go_on()
        assert world.status == "complete"
        assert [e.kind for e in world.events].count("approval_requested") == 1

    def test_another_digest_approves_nothing(self) -> None:
        with pytest.raises(ValueError, match="awaits the approval of"):
            self.paused().decide("g", "approve", digest="sha256:0")

    def test_declined_none_of_them_stands(self) -> None:
        world = self.paused().decide("g", "deny").go_on()
        assert world.ends()["g"] == "denied"
        assert world.ends()["z"] == "blocked"
        assert world.status == "failed"


class TestNarrowing:
    @pytest.mark.parametrize(
        ("narrow", "why"),
        [
            ({"capabilities": ["read", "network"]}, "capabilities would be widened by 'network'"),
            ({"scope": ["files:**"]}, "scope would reach 'files:\\*\\*', beyond files:src/"),
            ({"writes": ["files:src/b/**"]}, "writes would reach 'files:src/b/"),
            ({"scope": ["files:src/b/**"]}, "writes would reach 'files:src/a/"),
            ({"outputs": []}, "'outputs' cannot be narrowed, only capabilities, actions, scope"),
        ],
    )
    def test_a_grant_is_never_widened(self, narrow: dict[str, Any], why: str) -> None:
        with pytest.raises(ValueError, match=why):
            narrowed(GRANT, narrow)

    def test_less_is_less(self) -> None:
        less = narrowed(GRANT, {"scope": ["files:src/a/**"], "writes": ["files:src/a/x"]})
        assert (less.scope, less.writes) == (("files:src/a/**",), ("files:src/a/x",))


class TestReuse:
    def play(self, digest: str | None = None, **fields: Any) -> World:
        items = [item("a", **fields), item("b", inputs={"a": "${items.a.outputs.result}"})]
        world = World(plan(items))
        kept = {"run": "old", "attempt": "old/a/1", "output": {"result": 5}, "evidence": {}}
        if digest is None:
            digest = self._seal(items)
        world.reuse = {"a": kept | {"digest": digest}}
        return world.play()

    @staticmethod
    def _seal(items: list[Any]) -> str:
        asked = play([replace(items[0], approval=True)])
        return node(asked).seal

    def test_a_result_under_the_same_terms_is_taken_over(self) -> None:
        world = self.play()
        assert world.started() == ["b"]
        assert world.turns[0].inputs == {"a": 5}
        assert world.status == "complete"
        assert world.run.state.commits.writers[0] == (1, "a", "old/a/1", 0)

    def test_one_under_other_terms_is_not(self) -> None:
        world = self.play(digest="sha256:0")
        assert world.started() == ["a", "b"]

    def test_what_came_of_a_talk_is_not(self) -> None:
        part = item("g.a", parent="g", approval=True)
        items = [item("g", role_id="", pattern="joint", children=("g.a",)), part]
        seal = node(play(items), "g.a").seal
        kept = {"run": "old", "attempt": "old/g.a/1", "output": {"result": 5}, "evidence": {}}
        world = World(plan([items[0], replace(part, approval=False)]))
        world.reuse = {"g.a": kept | {"digest": seal}}
        assert world.play().started() == ["g.a"]

    def test_what_is_taken_over_was_approved_then(self) -> None:
        world = self.play(approval=True)
        assert world.started() == ["b"]
