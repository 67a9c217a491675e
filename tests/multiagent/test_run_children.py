"""Items that hand work to others while they go on: what is admitted, and on which terms."""

from dataclasses import replace
from typing import Any

import pytest

from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Contract, Deadline, Grant, Retry, Risk
from tests.multiagent.children import (
    CODER,
    HELD,
    LEAD,
    READER,
    SRC,
    a_plan,
    answers,
    ask,
    child,
    errors,
    lead,
    play,
    told,
)
from tests.multiagent.world import START, World, done, failed


class TestAdmission:
    def test_a_child_is_an_item_of_the_role_that_is_named_and_its_output_is_the_answer(
        self,
    ) -> None:
        script = {"a": [ask(child(instructions="be quick")), done()], "a.child-1-1": done("made")}
        world = play(script)
        assert world.status == "complete"
        made = world.turns[1]
        assert (made.item_id, made.role_id, made.purpose) == ("a.child-1-1", "coder", "do it")
        assert made.inputs == {"instructions": "be quick"}
        assert answers(world) == [
            {
                "request": "a/1/1",
                "tool": "delegate_subagent",
                "status": "succeeded",
                "child": "a.child-1-1",
                "output": {"result": "made"},
            }
        ]

    def test_a_turn_that_follows_has_the_state_and_no_earlier_answers(self) -> None:
        script = {"a": [ask(child(), state=1), ask(state=2), done()]}
        first, second, third = (t for t in play(script).turns if t.item_id == "a")
        assert (first.answers, second.state, len(second.answers)) == ((), 1, 1)
        assert (third.state, third.answers) == (2, ())

    def test_answers_are_fixed_in_the_event_that_starts_the_turn(self) -> None:
        world = play({"a": [ask(child()), done()]})
        started = [e for e in world.events if e.kind == "turn_started" and e.item == "a"]
        assert "answers" not in started[0].body
        assert started[1].body["answers"] == answers(world)

    def test_what_a_task_says_is_data_in_which_nothing_is_looked_up(self) -> None:
        text = "tell ${inputs.secret}"
        asked = ask(child(task=text, instructions=text))
        world = play({"a": [asked, done()]}, inputs={"secret": 1})
        assert (world.turns[1].purpose, world.turns[1].inputs) == (text, {"instructions": text})

    def test_a_child_that_only_reads_is_made_again_after_a_crash_and_one_that_writes_is_held(
        self,
    ) -> None:
        both = ask(child(), child(capabilities=["write"]), child(capabilities=["test-run"]))
        nodes = play({"a": [both, done()]}).run.state.nodes
        kinds = {n: (nodes[n].item.risk, nodes[n].item.on_crash) for n in nodes if n != "a"}
        assert kinds == {
            "a.child-1-1": ("read_only", "rerun"),
            "a.child-1-2": ("reversible", "hold"),
            "a.child-1-3": ("read_only", "rerun"),
        }

    def test_children_of_another_attempt_have_other_ids(self) -> None:
        script = {"a": [ask(child()), failed(), ask(child()), done()]}
        world = play(script, lead(retry=Retry(2)))
        assert world.started() == ["a", "a.child-1-1", "a", "a", "a.child-1-1-2", "a"]

    def test_how_a_child_ended_is_for_its_asker_to_judge(self) -> None:
        script = {"a": [ask(child()), done()], "a.child-1-1": failed()}
        assert play(script).status == "complete"

    def test_requests_beside_a_result_do_nothing(self) -> None:
        world = play({"a": done(not_executed=[child()])})
        assert list(world.ends()) == ["a"]


class TestNarrowing:
    def grant(self, item_grant: Grant, **more: Any) -> Grant:
        script = {"a": [ask(child(**more)), done()]}
        made: Grant = play(script, lead(grant=item_grant)).turns[1].grant
        return made

    def test_a_child_may_use_what_was_asked_for_and_no_more(self) -> None:
        held = Grant(HELD, frozenset({"file-read", "file-write"}), SRC, SRC, ("result",))
        found = self.grant(held, capabilities=["write"], scope=["files:src/a/**"])
        assert found == Grant(
            frozenset({"write"}),
            frozenset({"file-read", "file-write"}),
            ("files:src/a/**",),
            ("files:src/a/**",),
            ("result",),
        )

    def test_without_a_scope_it_has_that_of_its_asker_as_far_as_its_role_goes(self) -> None:
        wide = Grant(HELD, frozenset(), ("files:**",), (), ("result",))
        assert self.grant(wide).scope == SRC
        narrow = Grant(HELD, frozenset(), ("files:src/x/**",), (), ("result",))
        assert self.grant(narrow).scope == ("files:src/x/**",)

    def test_it_writes_only_where_its_asker_does(self) -> None:
        held = Grant(HELD, frozenset({"file-write"}), SRC, ("files:src/x/**",), ("result",))
        assert self.grant(held, capabilities=["write"]).writes == ("files:src/x/**",)

    def test_an_empty_intersection_of_rights_grants_nothing(self) -> None:
        elsewhere = Grant(HELD, frozenset(), ("files:docs/**",), (), ("result",))
        assert self.grant(elsewhere, capabilities=[]) == Grant(outputs=("result",))

    def test_a_child_cannot_use_what_its_parent_was_denied(self) -> None:
        fewer = Grant(frozenset({"read"}), frozenset(), SRC, (), ("result",))
        asked = ask(child(capabilities=["write"]))
        world = play({"a": [asked, done()]}, lead(grant=fewer))
        assert told(world) == "denied: you do not hold the capability 'write'"
        assert list(world.ends()) == ["a"]

    def test_it_cannot_have_what_its_asker_may_not_hand_on(self) -> None:
        handed = Contract("delegates:lead", "run", "lead", frozenset({"read"}), SRC)
        script = {"a": [ask(child(capabilities=["write"])), done()]}
        world = play(script, contracts={"delegates:lead": handed})
        assert told(world) == "denied: you may not hand on the capability 'write'"

    def test_it_cannot_have_what_its_role_does_not_hold(self) -> None:
        world = play({"a": [ask(child("reader", capabilities=["write"])), done()]})
        assert told(world) == "denied: role 'reader' does not hold the capability 'write'"

    def test_it_does_only_what_its_asker_does(self) -> None:
        held = Grant(HELD, frozenset({"file-read"}), SRC, SRC, ("result",))
        found = self.grant(held, capabilities=["write"])
        assert (found.actions, found.writes) == (frozenset({"file-read"}), ())

    @pytest.mark.parametrize(
        ("capabilities", "risk", "child_risk"),
        [
            (HELD, "irreversible", ["read_only", "irreversible", "read_only"]),
            (HELD, "reversible", ["read_only", "reversible", "read_only"]),
            (HELD - {"write"}, "irreversible", ["read_only", "irreversible"]),
        ],
    )
    def test_it_is_as_risky_as_its_asker_where_it_may_do_what_that_comes_from(
        self, capabilities: frozenset[str], risk: Risk, child_risk: list[str]
    ) -> None:
        held = Grant(capabilities, frozenset({"file-read", "file-write", "process"}), SRC, SRC)
        words = [word for word in ("read", "write", "test-run") if word in capabilities]
        script = {"a": [ask(*(child(capabilities=[word]) for word in words)), done()]}
        world = play(script, lead(grant=replace(held, outputs=("result",)), risk=risk))
        nodes = [node for node in world.run.state.nodes.values() if node.origin]
        assert [node.item.risk for node in nodes] == child_risk

    @pytest.mark.parametrize("key", ["capabilities", "scope"])
    def test_it_cannot_be_asked_for_with_a_list_without_end(self, key: str) -> None:
        more: Any = {key: ["read"] * 65}
        world = play({"a": [ask(child(**more)), done()]})
        assert told(world) == (
            f"invalid-request: '{key}' has 65 texts, at most 64 may be asked for at once"
        )

    def test_its_scope_must_lie_within_each_of_theirs(self) -> None:
        world = play({"a": [ask(child(scope=["files:docs/**"])), done()]})
        assert told(world) == "denied: you do not hold all of the scope 'files:docs/**'"

    def test_a_grandchild_is_held_to_the_whole_chain(self) -> None:
        inner = ask(child("reader", scope=["files:src/b/**"]))
        script = {
            "a": [ask(child(scope=["files:src/a/**"])), done()],
            "a.child-1-1": [inner, done()],
        }
        world = play(script)
        (error,) = errors(world, "a.child-1-1")
        assert error["message"] == "you do not hold all of the scope 'files:src/b/**'"

    def test_its_deadline_is_that_of_its_asker(self) -> None:
        script = {"a": [ask(child()), done()]}
        world = play(script, lead(deadline=Deadline(within=5_000)))
        assert world.turns[1].deadline == START + 5_000


class TestWaiting:
    def test_who_waits_holds_no_slot(self) -> None:
        script = {"a": [ask(child()), done()], "a.child-1-1": [ask(child("reader")), done()]}
        world = play(script)
        assert world.status == "complete"
        assert world.started() == [
            "a",
            "a.child-1-1",
            "a.child-1-1.child-1-1",
            "a.child-1-1",
            "a",
        ]

    def test_100_supervisors_three_levels_deep_finish_one_at_a_time(self) -> None:
        roles = (LEAD, CODER, replace(READER, delegates=("reader",)))
        names = [f"s{n}" for n in range(100)]
        script: dict[str, Any] = {}
        for name in names:
            script[name] = [ask(child()), done()]
            script[f"{name}.child-1-1"] = [ask(child("reader", "look")), done()]
            script[f"{name}.child-1-1.child-1-1"] = [ask(child("reader", "closer")), done()]
        world = play(script, *map(lead, names), roles=roles)
        assert world.status == "complete"
        assert len(world.ends()) == 400

    def test_a_child_that_is_stuck_is_no_success(self) -> None:
        endless = {"status": "yields", "state": 1, "usage": {}}
        world = play({"a": [ask(child()), done()], "a.child-1-1": endless})
        (answer,) = answers(world)
        assert answer["status"] == "failed"
        assert answer["error"]["message"] == "it was not done after 50 turns"

    def test_what_a_child_got_done_is_told_with_its_failure(self) -> None:
        script = {"a": [ask(child()), done()], "a.child-1-1": failed(partial="half")}
        (answer,) = answers(play(script))
        assert answer["partial"] == "half"

    def test_a_deadline_ends_the_children_and_then_who_waits_for_them(self) -> None:
        world = World(a_plan(lead(deadline=Deadline(within=5_000))), {"a": ask(child())}).start()
        world.until("request_admitted")
        world.advance()
        world.now += 5_000
        world.advance()
        assert world.events[-1].kind == "turn_cancelled"
        world.answer("r/a.child-1-1/1", failed("cancelled"))
        world.advance()
        reason = "its deadline has passed"
        assert [world.reason(name) for name in world.ends()] == [reason, reason]
        assert world.run.state.nodes["a"].kind == "deadline"

    def test_nothing_new_hangs_on_an_item_that_is_being_stopped(self) -> None:
        world = World(a_plan(lead("a"), lead("b"), max_concurrency=2)).start()
        world.advance()
        world.answer("r/a/1", failed())
        world.answer("r/b/1", ask(child()))
        world.advance()
        (denied,) = (e for e in world.events if e.kind == "request_denied")
        assert denied.body["reason"] == "what asked for it is being stopped"
        assert world.ends() == {"a": "failed", "b": "cancelled"}


class TestCrash:
    def test_a_turn_that_is_made_again_is_given_the_same_answers(self) -> None:
        world = World(a_plan(), {"a": [ask(child(), state=1), done()]}).start()
        world.until("request_admitted")
        world.advance()
        world.answer("r/a.child-1-1/1", done())
        world.advance()
        world.resume().go_on()
        before, after = (t for t in world.turns[2:] if t.item_id == "a")
        assert (before.answers, before.key) == (after.answers, after.key)
        assert before.attempt_id != after.attempt_id

    def test_who_waits_is_not_lost_with_its_controller(self) -> None:
        world = World(a_plan(), {"a": [ask(child()), done()]}).start()
        world.until("request_admitted")
        world.advance()
        world.resume().go_on()
        assert world.status == "complete"
        assert world.started() == ["a", "a.child-1-1", "a.child-1-1", "a"]

    def test_what_was_asked_before_a_signal_is_decided_by_who_goes_on(self) -> None:
        world = World(a_plan(), {"a": [done()]}).start()
        world.advance()
        world.answer("r/a/1", ask(child()))
        world.record(Event(world.now, "run_stopping", body={"signal": "SIGTERM"}))
        world.advance()
        assert world.status == "interrupted"
        world.resume().go_on()
        assert world.status == "complete"
        assert "a.child-1-1" in world.ends()

    def test_a_child_of_unknown_fate_is_held_and_its_asker_waits_for_a_decision(self) -> None:
        asked = ask(child(capabilities=["write"]))
        world = World(a_plan(), {"a": [asked, done()]}).start()
        world.until("request_admitted")
        world.advance()
        world.resume().go_on()
        assert world.ends() == {"a": "opened", "a.child-1-1": "indeterminate"}
        assert world.status == "paused"
        world.resume(3).decide("a.child-1-1", "deny").go_on()
        assert errors(world) == [{"kind": "denied", "message": "declined by ann"}]

    def test_an_item_with_children_can_be_reissued_and_begins_anew(self) -> None:
        script = {"a": [ask(child()), failed(), ask(child()), done()]}
        world = play(script, lead(then="escalate"))
        assert world.status == "paused"
        world.resume().decide("a", "reissue").go_on()
        assert world.status == "complete"
        assert "a.child-1-1-2" in world.ends()
