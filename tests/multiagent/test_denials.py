"""What was denied: whose word counts, what of it pauses an item, which link refused."""

from dataclasses import replace
from typing import Any

import pytest

from forge_cli.multiagent.denials import denied, pausing, refuser, refusing, sentence
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.plan import Contract, Grant, Plan, Retry
from tests.multiagent.children import HELD, SRC, a_plan, ask, child, denial, lead, play, write
from tests.multiagent.world import START, World, done, failed, yields

ACTIONS = frozenset({"file-read", "file-write"})
READ = denial("file-read")
EFFECT = {"tool": "read_file", "denied": "no", "action": "file-read", "touches": "files:x"}


def a_node(plan: Plan, name: str = "a") -> Node:
    made = plan.items[name]
    return Node(name, made, made.grant, World(plan).run.state.account, START)


def link(
    plan: Plan, action: str, capability: str | None = None, touches: str | None = None
) -> tuple[str, str]:
    found = refusing(plan, a_node(plan), action, capability, touches)
    return found.get("link", ""), found.get("key", "")


class TestLinks:
    def test_what_the_role_may_and_the_item_may_not_the_item_refuses(self) -> None:
        fewer = Grant(frozenset({"read"}), frozenset({"file-read"}), SRC, (), ("result",))
        assert link(a_plan(lead(grant=fewer)), "file-write") == ("item:a", "capabilities")
        assert link(a_plan(lead(grant=fewer)), "file-write", "write") == ("item:a", "capabilities")

    def test_what_the_role_may_not_the_role_refuses(self) -> None:
        assert link(a_plan(), "network") == ("role:lead", "capabilities")
        assert link(a_plan(), "tool", "search") == ("role:lead", "capabilities")

    def test_a_path_beyond_the_writes_the_item_refuses(self) -> None:
        held = Grant(HELD, ACTIONS, SRC, ("files:src/x/**",), ("result",))
        plan = a_plan(lead(grant=held))
        assert link(plan, "file-write", None, "files:src/y") == ("item:a", "writes")
        assert link(plan, "file-read", None, "files:src/y") == ("", "")

    def test_a_path_beyond_the_scope_of_the_role_the_role_refuses(self) -> None:
        assert link(a_plan(), "file-read", None, "files:docs/a") == ("role:lead", "scope")

    def test_a_path_beyond_that_of_the_run_the_run_refuses(self) -> None:
        assert link(a_plan(), "file-write", None, "files:.env") == ("run", "scope")

    def test_an_address_is_one_of_the_scope_or_refused(self) -> None:
        role = Contract("role:lead", "run", "lead", HELD, ("net:a.org:443", "net:b.org:443"))
        run = Contract("run", "", "")
        held = Grant(HELD, ACTIONS, ("net:a.org:443",), (), ("result",))
        plan = a_plan(lead(grant=held), contracts={"run": run, "role:lead": role})
        assert link(plan, "network", None, "net:b.org:443") == ("item:a", "scope")
        assert link(plan, "network", None, "net:c.org:443") == ("role:lead", "scope")

    def test_words_of_the_manifest_are_looked_up_in_the_plan(self) -> None:
        words = {"deploy": ["network"], **{word: ["file-read"] for word in HELD}}
        role = Contract("role:lead", "run", "lead", HELD | {"deploy"}, SRC)
        plan = replace(a_plan(contracts={"role:lead": role}), vocabulary=words)
        assert link(plan, "network") == ("item:a", "capabilities")

    def test_a_holder_of_a_word_that_the_plan_does_not_explain_is_not_blamed(self) -> None:
        role = Contract("role:lead", "run", "lead", HELD | {"deploy"}, SRC)
        assert link(a_plan(contracts={"role:lead": role}), "network") == ("item:a", "capabilities")

    def test_a_delegation_is_asked_behind_the_role(self) -> None:
        handed = Contract("delegation:d", "lead", "lead", HELD, ("files:src/x/**",))
        chain = ("run", "delegation:d", "role:lead")
        plan = a_plan(lead(chain=chain), contracts={"delegation:d": handed})
        assert link(plan, "file-read", None, "files:src/y") == ("delegation:d", "scope")
        assert link(plan, "file-read", None, "files:docs/y") == ("role:lead", "scope")

    def test_what_an_asker_may_not_the_asker_refused_to_its_child(self) -> None:
        held = Grant(HELD, ACTIONS, SRC, ("files:src/x/**",), ("result",))
        script = {"a": [ask(child(capabilities=["write"])), done()]}
        world = play(script, lead(grant=held))
        made = world.run.state.nodes["a.child-1-1"]
        found = refusing(world.plan, made, "file-write", None, "files:src/y")
        assert found == {"link": "item:a", "key": "writes"}

    def test_what_it_was_not_handed_the_child_itself_refuses(self) -> None:
        world = play({"a": [ask(child()), done()]})
        made = world.run.state.nodes["a.child-1-1"]
        found = refusing(world.plan, made, "file-write")
        assert found == {"link": "item:a.child-1-1", "key": "capabilities"}

    def test_a_call_of_a_tool_has_the_links_of_who_asked_for_it(self) -> None:
        world = play({"a": [ask(write()), done()]})
        made = world.run.state.nodes["a.call-1-1"]
        found = refusing(world.plan, made, "file-write", None, "files:docs/a")
        assert found == {"link": "role:lead", "key": "scope"}
        assert refusing(world.plan, made, "file-write", None, "files:src/a") == {}

    def test_forges_own_files_no_link_refuses(self) -> None:
        assert link(a_plan(), "file-write", None, "files:src/forge.yaml") == ("", "")

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("run", "the scope of the run"),
            ("role:builder", "the scope of role 'builder'"),
            ("item:a.b", "the scope of item 'a.b'"),
            ("delegation:d", "the scope of delegation 'd'"),
            ("delegates:lead", "the scope that role 'lead' hands on"),
        ],
    )
    def test_each_kind_of_link_has_its_words(self, name: str, words: str) -> None:
        assert refuser({"link": name, "key": "scope"}) == words

    def test_who_refuses_without_a_link_is_forge(self) -> None:
        assert sentence(denial()) == "file-write is denied; refused by forge itself"


class TestWord:
    def found(self, kind: str, *effects: Any) -> list[Any]:
        plan = a_plan()
        return denied(plan, a_node(plan), kind, effects)

    @pytest.mark.parametrize("kind", ["agent", "mcp", "tool"])
    def test_the_word_of_forges_own_handlers_counts(self, kind: str) -> None:
        row = {"tool": "read_file", "action": "file-read", "reason": "no"}
        assert self.found(kind, EFFECT) == [{**row, "link": "role:lead", "key": "scope"}]

    @pytest.mark.parametrize("kind", ["function", "command", "plug-in"])
    def test_what_others_say_of_themselves_does_not(self, kind: str) -> None:
        assert self.found(kind, EFFECT) == []

    def test_what_was_done_or_has_failed_is_no_denial(self) -> None:
        assert self.found("agent", {"tool": "read_file"}, {"tool": "fly", "failed": "no"}) == []

    def test_a_tool_that_the_handler_holds_back_its_role_refuses(self) -> None:
        effect = {"tool": "write_file", "denied": "no", "action": "file-write", "key": "tools"}
        (row,) = self.found("agent", effect)
        assert (row["link"], row["key"]) == ("role:lead", "tools")


class TestPausing:
    @pytest.mark.parametrize("action", ["file-write", "process", "network", "tool"])
    def test_a_change_pauses_at_once(self, action: str) -> None:
        assert pausing([READ, denial(action)], 0) == denial(action)

    def test_the_fourth_denied_read_pauses(self) -> None:
        assert pausing([READ], 2) is None
        assert pausing([READ], 3) == READ
        assert pausing([READ] * 4, 0) == READ

    def test_who_may_not_delegate_is_only_told_so(self) -> None:
        assert pausing([denial("delegate")] * 9, 3) is None


def reading(*found: Any, **more: Any) -> dict[str, Any]:
    return yields(denials=list(found), **more)


class TestPause:
    def test_an_item_pauses_after_the_turn_in_which_it_was_denied_a_write(self) -> None:
        world = play({"a": reading(denial(link="item:a", key="writes"))})
        assert (world.status, world.ends()) == ("paused", {"a": "paused"})
        assert world.reason("a") == "file-write is denied; refused by the writes of item 'a'"
        assert [e.kind for e in world.events[-2:]] == ["item_paused", "run_ended"]

    def test_siblings_go_on_and_dependents_do_not_start(self) -> None:
        ran = play({"a": reading(denial())}, lead("a"), lead("b"), lead("c", depends_on=("a",)))
        assert ran.ends() == {"a": "paused", "b": "succeeded", "c": "waiting"}

    def test_three_denied_reads_are_answered_and_the_fourth_pauses(self) -> None:
        world = play({"a": [reading(READ), reading(READ, READ), done()]})
        assert world.status == "complete"
        world = play({"a": [reading(READ), reading(READ, READ), reading(READ)]})
        assert world.ends() == {"a": "paused"}

    def test_another_attempt_counts_from_the_start(self) -> None:
        script = {"a": [reading(READ, READ, READ), failed(), reading(READ), done()]}
        assert play(script, lead(retry=Retry(2))).status == "complete"

    def test_the_count_goes_on_after_a_crash(self) -> None:
        world = World(a_plan(), {"a": [reading(READ, READ, READ), reading(READ)]}).start()
        world.advance()
        world.answer("r/a/1", reading(READ, READ, READ))
        world.advance()
        world.script, world._answers = {"a": reading(READ)}, {}
        world.resume().go_on()
        assert world.ends() == {"a": "paused"}

    def test_a_result_of_the_same_turn_is_not_accepted(self) -> None:
        world = play({"a": done("x", denials=[denial()])})
        assert world.ends() == {"a": "paused"}
        assert world.run.state.nodes["a"].partial == {"result": "x"}

    def test_an_attempt_that_fails_of_it_is_not_tried_again(self) -> None:
        world = play({"a": failed(denials=[denial()])}, lead(retry=Retry(3)))
        assert (world.started(), world.ends()) == (["a"], {"a": "paused"})

    def test_what_that_turn_asked_for_is_not_done(self) -> None:
        world = play({"a": reading(denial(), requests=[write(), child()])})
        assert world.ends() == {"a": "paused"}

    def test_it_is_reissued_from_its_start_and_told_of_the_denial(self) -> None:
        world = play({"a": reading(denial(), state=1)})
        world.script = {}
        world.resume().decide("a", "reissue").go_on()
        assert world.status == "complete"
        last = world.turns[-1]
        assert (last.state, last.inbox[0].payload["kind"]) == (None, "denied")

    @pytest.mark.parametrize("ending", ["lost", "stopped"])
    def test_it_is_told_again_when_that_attempt_is_made_again(self, ending: str) -> None:
        world = play({"a": reading(denial())})
        world.script = {}
        world.resume().decide("a", "reissue")
        world.advance()
        if ending == "stopped":
            world.record(Event(world.now, "run_stopping", body={"signal": "SIGTERM"}))
            world.advance()
            world.answer("r/a/2", failed("cancelled"))
            world.advance()
        world.resume(3).go_on()
        assert [turn.attempt_id for turn in world.turns[-2:]] == ["r/a/2", "r/a/3"]
        told, again = (turn.inbox[0].payload for turn in world.turns[-2:])
        assert told == again
        assert told["kind"] == "denied"

    def test_a_reissued_item_that_is_denied_again_pauses_again(self) -> None:
        world = play({"a": reading(denial())})
        world.resume().decide("a", "reissue").go_on()
        assert world.ends() == {"a": "paused"}

    def test_it_is_declined(self) -> None:
        world = play({"a": reading(denial())}, lead("a"), lead("b", depends_on=("a",)))
        world.resume().decide("a", "deny").go_on()
        assert (world.status, world.ends()["a"]) == ("failed", "denied")

    def test_a_turn_that_was_stopped_ends_as_it_would(self) -> None:
        world = World(a_plan(lead("a"), lead("b"), max_concurrency=2)).start()
        world.advance()
        world.answer("r/b/1", failed())
        world.advance()
        world.answer("r/a/1", failed("cancelled", denials=[denial()]))
        world.go_on()
        assert world.ends() == {"a": "cancelled", "b": "failed"}


class TestCalls:
    def test_who_asked_for_a_call_pauses_when_the_call_was_denied(self) -> None:
        script = {"a": ask(write("docs/a")), "a.call-1-1": failed(denials=[denial()])}
        world = play(script)
        assert world.ends() == {"a": "paused", "a.call-1-1": "failed"}

    def test_who_asked_for_it_is_reissued_from_the_start(self) -> None:
        script = {
            "a": [ask(write("docs/a"), state=1), done()],
            "a.call-1-1": failed(denials=[denial()]),
        }
        world = play(script)
        world.resume().decide("a", "reissue").go_on()
        assert (world.status, world.started()) == ("complete", ["a", "a.call-1-1", "a"])
        last = world.turns[-1]
        assert (last.attempt_id, last.number, last.state, last.answers) == ("r/a/2", 1, None, ())

    def test_calls_behind_it_are_not_made(self) -> None:
        script = {
            "a": ask(write("docs/a"), write(), child()),
            "a.call-1-1": failed(denials=[denial()]),
        }
        world = play(script)
        assert world.started() == ["a", "a.call-1-1"]
        assert world.ends() == {
            "a": "paused",
            "a.call-1-1": "failed",
            "a.call-1-2": "cancelled",
            "a.child-1-3": "cancelled",
        }

    def test_what_has_begun_beside_it_goes_on_to_its_end(self) -> None:
        world = World(a_plan(max_concurrency=3), {"a": ask(child(), write())}).start()
        world.advance()
        world.answer("r/a/1", ask(child(), write()))
        world.advance()
        world.answer("r/a.call-1-2/1", failed(denials=[denial()]))
        world.advance()
        assert world.ends()["a"] == "opened"
        world.go_on()
        assert world.ends() == {"a": "paused", "a.child-1-1": "succeeded", "a.call-1-2": "failed"}

    def test_a_call_beyond_the_grant_pauses_and_what_is_asked_behind_it_is_refused(self) -> None:
        held = Grant(HELD, frozenset({"file-read"}), SRC, (), ("result",))
        world = play({"a": ask(write(), child())}, lead(grant=held))
        assert world.ends() == {"a": "paused"}
        refused = [e.body for e in world.events if e.kind == "request_denied"]
        assert [body["kind"] for body in refused] == ["denied", "cancelled"]
        assert (refused[0]["link"], refused[0]["key"]) == ("item:a", "capabilities")

    def test_a_child_that_was_denied_pauses_while_its_asker_waits(self) -> None:
        script = {"a": [ask(child()), done()], "a.child-1-1": reading(denial())}
        world = play(script)
        assert world.ends() == {"a": "opened", "a.child-1-1": "paused"}
        world.script = {}
        world.resume().decide("a.child-1-1", "reissue").go_on()
        assert world.status == "complete"

    def test_a_child_that_may_not_be_is_only_answered(self) -> None:
        script = {"a": [ask(child(capabilities=["network"])), done()]}
        assert play(script).status == "complete"
