"""Sub-tasks that talk over channels: who hears what, once, and what buffers lose."""

from typing import Any

from forge_cli.multiagent.plan import Item, Retry
from tests.multiagent.world import World, done, failed, item, plan, play, yields

A, B = "worker#g.a", "worker#g.b"


def broadcast(*names: str, channels: tuple[str, ...] = ("facts", "guesses"), **fields: Any) -> Item:
    children = tuple(f"g.{name}" for name in names)
    fields = {"pattern": "broadcast", "children": children, "channels": channels, **fields}
    return item("g", role_id="", **fields)


def sub(name: str, **fields: Any) -> Item:
    return item(f"g.{name}", parent="g", **fields)


def says(text: str, channel: str = "facts", **fields: Any) -> dict[str, Any]:
    return {"text": text, "channel": channel, **fields}


def world(*items: Item, **fields: Any) -> World:
    found = World(plan(items, max_concurrency=9, **fields)).start()
    found.advance()
    return found


def log_of(found: World) -> list[tuple[str, str, str]]:
    output = found.run.state.nodes["g"].output
    assert output is not None
    return [(e["author"], e.get("channel", ""), e["text"]) for e in output["log"]]


def test_a_message_reaches_the_next_turn_of_each_who_hears_its_channel_and_nobody_else() -> None:
    items = [
        broadcast("a", "b", "c", "d"),
        sub("a"),
        sub("b", listens=("facts",)),
        sub("c", listens=("guesses",)),
        sub("d", listens=()),
    ]
    script = {"g.a": [yields(says("it burns"), says("the cat", "guesses")), done()]}
    script |= {name: [yields(), yields(), done()] for name in ("g.b", "g.c", "g.d")}
    found = play(items, script)
    assert found.heard("g.a") == [[], []]
    assert found.heard("g.b") == [[(A, "it burns")], [], []]
    assert found.heard("g.c") == [[(A, "the cat")], [], []]
    assert found.heard("g.d") == [[], [], []]


def test_nobody_waits_and_the_log_has_the_order_in_which_turns_ended() -> None:
    found = world(broadcast("a", "b"), sub("a"), sub("b"))
    found.answer("r/g.b/1", yields(says("second")))
    found.advance()
    assert list(found.run.state.running) == ["r/g.a/1", "r/g.b/1"]
    found.answer("r/g.b/1", done())
    found.answer("r/g.a/1", done(posts=[says("first", "guesses")]))
    found.advance()
    assert log_of(found) == [("b", "facts", "second"), ("a", "guesses", "first")]


def test_a_first_turn_gets_what_was_said_before_it() -> None:
    items = [broadcast("a", "b"), sub("a"), sub("b", depends_on=("g.a",))]
    found = play(items, {"g.a": done(posts=[says("one"), says("two")])})
    assert found.heard("g.b") == [[(A, "one"), (A, "two")]]


def test_a_full_buffer_loses_the_oldest_and_the_loss_is_recorded() -> None:
    items = [broadcast("a", "b"), sub("a"), sub("b", depends_on=("g.a",))]
    script = {"g.a": done(posts=[says(str(n)) for n in range(5)])}
    found = play(items, script, broadcast_buffer=2)
    assert found.heard("g.b") == [[(A, "3"), (A, "4")]]
    starts = [e.body["heard"] for e in found.events if e.item == "g.b" and "heard" in e.body]
    assert starts == [{"after": 0, "upto": 5, "lost": 3}]
    assert len(log_of(found)) == 5


def test_a_buffer_of_nothing_stated_loses_nothing() -> None:
    items = [broadcast("a", "b"), sub("a"), sub("b", depends_on=("g.a",))]
    script = {"g.a": [yields(*[says(str(n)) for n in range(100)])] * 3 + [done()]}
    found = play(items, script, broadcast_buffer=0)
    assert len(found.heard("g.b")[0]) == 300


def test_the_one_channel_that_an_item_may_post_to_need_not_be_named() -> None:
    items = [broadcast("a", "b"), sub("a", posts=("guesses",)), sub("b")]
    found = play(items, {"g.a": done(posts=[{"text": "hm"}])})
    assert log_of(found) == [("a", "guesses", "hm")]


def test_the_run_tells_everybody_what_was_lost_and_what_was_decided() -> None:
    deaf = sub("c", listens=(), required=False)
    items = [broadcast("a", "b", "c"), sub("a", then="escalate", required=False), sub("b"), deaf]
    found = world(*items)
    found.answer("r/g.a/1", failed())
    found.answer("r/g.b/1", yields())
    found.advance()
    found.record(
        found.events[-1]._replace(kind="run_stopping", item="", attempt="", body={"signal": "INT"})
    )
    found.answer("r/g.b/1", failed("cancelled"))
    found.answer("r/g.c/1", failed("cancelled"))
    found.advance()
    found.resume().decide("g.a", "deny").advance()
    told = [("run", "'a' was decided on: deny"), ("run", "'a' ended denied")]
    assert found.heard("g.b")[2] == []
    assert found.heard("g.c")[1] == []
    found.answer("r/g.b/2", yields())
    found.answer("r/g.c/2", yields())
    found.advance()
    assert found.heard("g.b")[3] == told
    assert found.heard("g.c")[2] == told
    kinds = [m.kind for m in found.turns[-1].inbox]
    assert kinds == ["request", "cancel"]


def test_what_comes_after_the_last_turn_is_undelivered() -> None:
    found = world(broadcast("a", "b"), sub("a"), sub("b"))
    found.answer("r/g.b/1", done())
    found.answer("r/g.a/1", done(posts=[says("too late"), says("for b")]))
    found.advance()
    board = found.run.state.nodes["g"].talk
    assert board is not None
    assert [board.undelivered(name) for name in ("g.a", "g.b")] == [0, 2]


def test_a_lost_turn_gets_the_same_again_and_what_came_since_with_the_next() -> None:
    found = world(broadcast("a", "b"), sub("a"), sub("b"))
    found.answer("r/g.a/1", yields(says("one")))
    found.answer("r/g.b/1", yields())
    found.advance()
    found.answer("r/g.a/1", yields(says("two")))
    found.resume().advance()
    found.answer("r/g.b/2", yields())
    found.advance()
    assert found.heard("g.b")[1:] == [[(A, "one")], [(A, "one")], [(A, "two")]]


def test_a_retry_begins_anew_and_is_given_all() -> None:
    items = (broadcast("a", "b"), sub("a"), sub("b", retry=Retry(2)))
    found = world(*items)
    found.answer("r/g.a/1", yields(says("one")))
    found.answer("r/g.b/1", yields())
    found.advance()
    found.answer("r/g.a/1", yields(says("two")))
    found.answer("r/g.b/1", failed())
    found.advance()
    assert found.heard("g.b")[1:] == [[(A, "one")], [(A, "one"), (A, "two")]]


def test_a_turn_knows_who_is_there_and_where_it_may_post() -> None:
    items = [broadcast("a", "b"), sub("a", posts=("facts",), listens=()), sub("b")]
    found = play(items)
    facts = {"pattern": "broadcast", "members": ["a", "b"]}
    assert [turn.group for turn in found.turns] == [
        {**facts, "posts": ["facts"], "listens": []},
        {**facts, "posts": ["facts", "guesses"], "listens": ["facts", "guesses"]},
    ]


def test_a_lost_required_member_fails_the_item() -> None:
    found = play([broadcast("a", "b"), sub("a"), sub("b")], {"g.a": failed()})
    assert found.ends() == {"g": "failed", "g.a": "failed", "g.b": "cancelled"}


def test_what_is_blocked_with_its_item_is_not_told_of() -> None:
    items = [broadcast("a", depends_on=("z",)), sub("a"), item("z", required=False)]
    assert play(items, {"z": failed()}).ends()["g.a"] == "blocked"
