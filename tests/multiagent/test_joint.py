"""Sub-tasks on one board: rounds, cursors, tags, and how such an item ends."""

from typing import Any

import pytest

from forge_cli.multiagent.patterns.joint import conflicts
from forge_cli.multiagent.plan import Deadline, Grant, Item, Retry
from tests.multiagent.world import START, World, done, failed, item, plan, play, yields

A, B, C = "worker#g.a", "worker#g.b", "worker#g.c"


def joint(*names: str, rounds: int = 4, **fields: Any) -> Item:
    children = tuple(f"g.{name}" for name in names)
    return item("g", role_id="", pattern="joint", children=children, rounds=rounds, **fields)


def sub(name: str, **fields: Any) -> Item:
    return item(f"g.{name}", parent="g", **fields)


def world(*items: Item, **fields: Any) -> World:
    found = World(plan(items, max_concurrency=9, **fields)).start()
    found.advance()
    return found


def rounds_of(found: World, name: str) -> list[int]:
    return [e.body["heard"]["round"] for e in found.events if _starts(e, name)]


def _starts(event: Any, name: str) -> bool:
    return bool(event.kind == "turn_started" and event.item == name)


def board_of(found: World) -> list[tuple[str, str]]:
    output = found.run.state.nodes["g"].output
    assert output is not None
    return [(entry["author"], entry["text"]) for entry in output["board"]]


def test_a_post_is_read_in_the_next_round_and_never_by_its_author() -> None:
    script = {
        "g.a": [yields("one"), yields("two"), done()],
        "g.b": [yields("eins"), yields(), done()],
    }
    found = play([joint("a", "b"), sub("a"), sub("b")], script)
    assert found.heard("g.a") == [[], [(B, "eins")], []]
    assert found.heard("g.b") == [[], [(A, "one")], [(A, "two")]]
    assert found.status == "complete"


def test_posts_are_entered_in_the_order_of_the_members_whoever_was_first() -> None:
    boards = []
    for order in (("a", "b", "c"), ("c", "b", "a")):
        found = world(joint("a", "b", "c"), sub("a"), sub("b"), sub("c"))
        for name in order:
            found.answer(f"r/g.{name}/1", yields(f"from {name}", f"more from {name}"))
        found.go_on()
        boards.append((board_of(found), found.heard("g.b")))
    assert boards[0] == boards[1]
    assert [author for author, _ in boards[0][0]] == ["a", "a", "b", "b", "c", "c"]


def test_nobody_begins_a_round_before_the_last_one_is_over() -> None:
    found = world(joint("a", "b"), sub("a"), sub("b"))
    found.answer("r/g.a/1", yields("one"))
    found.advance()
    assert list(found.run.state.running) == ["r/g.b/1"]
    found.answer("r/g.b/1", yields())
    found.advance()
    assert list(found.run.state.running) == ["r/g.a/1", "r/g.b/1"]
    assert rounds_of(found, "g.a") == [1, 2]


def test_a_member_that_waits_holds_no_slot() -> None:
    items = [joint("a", "b"), sub("a"), sub("b"), item("z")]
    found = World(plan(items, max_concurrency=2)).start()
    found.advance()
    assert list(found.run.state.running) == ["r/z/1", "r/g.a/1"]
    found.answer("r/g.a/1", yields("one"))
    found.advance()
    assert list(found.run.state.running) == ["r/z/1", "r/g.b/1"]


def test_it_ends_when_all_are_done() -> None:
    found = play([joint("a", "b"), sub("a"), sub("b")], {"g.a": [yields("one"), done("A")]})
    assert found.ends() == dict.fromkeys(["g", "g.a", "g.b"], "succeeded")
    assert board_of(found) == [("a", "one")]
    output = found.run.state.nodes["g"].output
    assert output is not None
    assert output["a"] == {"result": "A"}


def test_who_is_not_done_in_the_last_round_has_failed_and_the_board_stays() -> None:
    script = {"g.a": [yields("one"), yields("two")], "g.b": [yields(), done()]}
    found = play([joint("a", "b", rounds=2), sub("a", required=False), sub("b")], script)
    assert found.reason("g.a") == "it was not done after 2 rounds"
    assert found.status == "degraded"
    assert board_of(found) == [("a", "one"), ("a", "two"), ("run", "'a' ended failed")]


def test_a_required_member_that_is_not_done_fails_the_item() -> None:
    found = play([joint("a", rounds=1), sub("a")], {"g.a": [yields("one")]})
    assert found.ends() == {"g": "failed", "g.a": "failed"}


def test_what_is_posted_beside_a_result_is_on_the_board_and_beside_a_failure_is_not() -> None:
    post = [{"text": "last words"}]
    script = {"g.a": done(posts=post), "g.b": failed(posts=post)}
    found = play([joint("a", "b"), sub("a"), sub("b", required=False)], script)
    assert board_of(found) == [("a", "last words"), ("run", "'b' ended failed")]


def test_a_reader_that_listens_to_tags_gets_what_has_one_of_them() -> None:
    posts = [{"text": "x", "tags": ["api"]}, {"text": "y", "tags": ["ops", "data"]}, "z"]
    script = {"g.a": [yields(*posts), done()], "g.b": [yields(), done()], "g.c": [yields(), done()]}
    items = [joint("a", "b", "c"), sub("a"), sub("b", listens=("data",)), sub("c", listens=())]
    found = play(items, script)
    assert found.heard("g.b") == [[], [(A, "y")]]
    assert found.heard("g.c") == [[], []]


def test_a_turn_knows_the_members_and_the_round() -> None:
    found = play([joint("a", "b", rounds=3), sub("a"), sub("b")], {"g.a": [yields("x"), done()]})
    turns = [turn.group for turn in found.turns if turn.item_id == "g.a"]
    facts = {"pattern": "joint", "members": ["a", "b"], "rounds": 3}
    assert turns == [{**facts, "round": 1}, {**facts, "round": 2}]


def test_a_member_that_comes_later_gets_the_whole_board_at_its_first_turn() -> None:
    items = [joint("a", "b"), sub("a"), sub("b", depends_on=("z",)), item("z")]
    found = world(*items)
    found.answer("r/g.a/1", yields("one"))
    found.advance()
    found.answer("r/g.a/1", yields("two"))
    found.answer("r/z/1", done())
    found.advance()
    assert found.heard("g.b") == [[(A, "one"), (A, "two")]]
    assert rounds_of(found, "g.b") == [3]


def test_a_member_that_comes_when_the_others_have_ended_has_a_round_of_its_own() -> None:
    items = [joint("a", "b", rounds=2), sub("a"), sub("b", depends_on=("g.a",))]
    found = play(items, {"g.a": done(posts=[{"text": "one"}])})
    assert rounds_of(found, "g.b") == [2]
    assert found.heard("g.b") == [[(A, "one")]]


def test_after_the_last_round_who_comes_late_has_that_one() -> None:
    items = [joint("a", "b", rounds=1), sub("a"), sub("b", depends_on=("g.a",))]
    found = play(items, {"g.a": done(posts=[{"text": "one"}])})
    assert rounds_of(found, "g.b") == [1]
    assert found.status == "complete"


def test_who_awaits_a_decision_is_not_waited_for_and_comes_back_in_the_round_under_way() -> None:
    found = world(joint("a", "b"), sub("a"), sub("b", then="escalate"))
    found.answer("r/g.a/1", yields("one"))
    found.answer("r/g.b/1", failed())
    found.advance()
    found.answer("r/g.a/1", done())
    found.advance()
    assert found.status == "paused"
    found.resume().decide("g.b", "reissue").advance()
    assert found.heard("g.b") == [[], [(A, "one")]]
    assert rounds_of(found, "g.b") == [1, 2]


def test_a_retry_is_waited_for_and_given_the_board_anew() -> None:
    items = [joint("a", "b"), sub("a"), sub("b", retry=Retry(2, 5_000))]
    script = {"g.a": [yields("one"), yields("two"), done()], "g.b": [yields(), failed(), done()]}
    found = play(items, script)
    assert found.heard("g.b") == [[], [(A, "one")], [(A, "one")]]
    assert rounds_of(found, "g.b") == [1, 2, 2]
    assert found.heard("g.a") == [[], [], []]


def test_a_turn_that_was_lost_is_given_exactly_the_same_again() -> None:
    found = world(joint("a", "b"), sub("a"), sub("b"))
    found.answer("r/g.a/1", yields("one"))
    found.answer("r/g.b/1", yields("eins"))
    found.advance()
    found.answer("r/g.b/1", yields("zwei"))
    found.resume()
    found.advance()
    assert found.heard("g.a")[1:] == [[(B, "eins")], [(B, "eins")]]
    starts = [e.body for e in found.events if _starts(e, "g.a")][1:]
    assert starts[0]["heard"] == starts[1]["heard"] == {"round": 2, "after": 0, "upto": 2}
    assert starts[0]["key"] == starts[1]["key"]
    found.go_on()
    assert found.status == "complete"


def test_a_stopped_run_goes_on_in_the_round_that_was_under_way() -> None:
    found = world(joint("a", "b"), sub("a"), sub("b"))
    found.answer("r/g.a/1", yields("one"))
    found.record(found.events[-1]._replace(kind="run_stopping", body={"signal": "SIGTERM"}))
    found.advance()
    found.answer("r/g.b/1", failed("cancelled"))
    found.advance()
    assert found.status == "interrupted"
    found.resume().advance()
    assert list(found.run.state.running) == ["r/g.b/2"]
    found.go_on()
    assert rounds_of(found, "g.b") == [1, 1]
    assert rounds_of(found, "g.a") == [1, 2]


def test_a_waiting_member_ends_with_its_item() -> None:
    found = world(joint("a", "b"), sub("a"), sub("b"))
    found.answer("r/g.a/1", yields("one"))
    found.answer("r/g.b/1", failed())
    found.advance()
    assert found.ends() == {"g": "failed", "g.a": "cancelled", "g.b": "failed"}


def test_the_deadline_of_a_waiting_member_holds() -> None:
    items = (joint("a", "b"), sub("a", required=False, deadline=Deadline(within=10)), sub("b"))
    found = world(*items)
    found.answer("r/g.a/1", yields("one"))
    found.now = START + 10
    found.advance()
    assert found.run.state.nodes["g.a"].kind == "deadline"
    found.go_on()
    assert found.ends()["g"] == "succeeded"


def test_a_turn_is_given_no_more_than_256_kib_and_the_rest_with_the_next() -> None:
    big = "x" * 100_000
    script: dict[str, Any] = {
        "g.a": [yields(big, big), done()],
        "g.b": [yields(big, big), done()],
        "g.c": [yields(), yields(), done()],
    }
    found = play([joint("a", "b", "c"), sub("a"), sub("b"), sub("c")], script)
    assert [len(heard) for heard in found.heard("g.c")] == [0, 2, 2]


def test_overlapping_writes_block_the_aggregation() -> None:
    writes = Grant(scope=("files:**",), writes=("files:src/**",), outputs=("result",))
    found = play([joint("a", "b"), sub("a", grant=writes), sub("b", grant=writes)])
    assert found.run.state.nodes["g"].kind == "conflict"


@pytest.mark.parametrize(
    ("outputs", "found"),
    [
        ({"a": {"x": 1}, "b": {"x": 1}, "c": None}, []),
        ({"a": {"x": 1}, "b": {"y": 2}}, []),
        (
            {"a": {"x": 1}, "b": {"x": True}, "c": {"x": 1}},
            [{"output": "x", "sides": [["a", "c"], ["b"]]}],
        ),
    ],
)
def test_conflicts_name_who_differs_in_what(outputs: Any, found: Any) -> None:
    assert conflicts(outputs) == found
