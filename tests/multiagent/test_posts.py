"""Posts that are taken, and posts that are refused and told to their sender."""

from typing import Any

import pytest

from forge_cli.multiagent.board import INLINE
from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.plan import Grant, Retry
from forge_cli.multiagent.posts import refused
from tests.multiagent.children import a_plan, ask, lead
from tests.multiagent.test_broadcast import broadcast, log_of, says, sub
from tests.multiagent.world import World, done, failed, item, play, rejected, role, yields


def refusals(*posts: Any, **fields: Any) -> list[str]:
    """Why posts of a member are refused, as it is told in its next turn."""
    items = [broadcast("a", "b"), sub("a", **fields), sub("b")]
    found = play(items, {"g.a": [yields(*posts), done()]})
    last = [turn for turn in found.turns if turn.item_id == "g.a"][-1]
    told = [message for message in last.inbox if message.kind == "error"]
    assert all(m.sender == "run" and m.correlation_id == "r/g.a/1" for m in told)
    return [message.payload["reason"] for message in told]


@pytest.mark.parametrize(
    ("post", "reason"),
    [
        (7, "a post is an object with a text"),
        (
            says("x", to="reviewr"),
            "a post has no 'to', only text, tags and channel; its sender is known",
        ),
        (
            {**says("x"), "from": "supervisor"},
            "a post has no 'from', only text, tags and channel; its sender is known",
        ),
        (says(" "), "it has no text"),
        ({"channel": "facts"}, "it has no text"),
        (says("x", tags="urgent"), "its tags are no list of words"),
        (says("x", tags=[""]), "its tags are no list of words"),
        (says("x", tags=["t"] * 17), "it has more than 16 tags, or one of over 64 characters"),
        (says("x", tags=["t" * 65]), "it has more than 16 tags, or one of over 64 characters"),
        ({"text": "x", "channel": 3}, "its channel is no text"),
        (says("x", "fact"), "there is no channel 'fact'; there are 'facts', 'guesses'"),
        ({"text": "x"}, "it names no channel; it may post to 'facts', 'guesses'"),
        (says("x" * INLINE), f"the posts of this turn have over {INLINE} bytes with it"),
    ],
)
def test_a_post_that_will_not_do_is_refused_and_its_sender_is_told(post: Any, reason: str) -> None:
    assert refusals(post) == [reason]


def test_a_post_to_a_channel_that_is_not_its_own_is_refused() -> None:
    assert refusals(says("x", "guesses"), posts=("facts",)) == [
        "it may not post to 'guesses', only to 'facts'"
    ]


def test_who_may_post_nowhere_is_told_so() -> None:
    assert refusals({"text": "x"}, posts=()) == ["it names no channel; it may post to nothing"]


def test_of_very_many_posts_the_first_are_taken() -> None:
    items = [broadcast("a"), sub("a")]
    found = play(items, {"g.a": [yields(*[says("x")] * 101), done()]})
    assert len(log_of(found)) == 100
    assert found.turns[-1].inbox[0].payload == {
        "post": "g.a/1/100",
        "reason": "of its 101 posts the first 100 are taken",
    }


def test_what_is_refused_reaches_nobody_and_the_others_of_the_turn_do() -> None:
    items = [broadcast("a", "b"), sub("a"), sub("b", depends_on=("g.a",))]
    found = play(items, {"g.a": done(posts=[says("x", "fact"), says("y")])})
    assert log_of(found) == [("a", "facts", "y")]
    assert found.heard("g.b") == [[("worker#g.a", "y")]]


def test_a_refusal_is_told_once_and_in_words_of_the_event() -> None:
    items = [broadcast("a"), sub("a")]
    found = play(items, {"g.a": [yields(7), yields(), done()]})
    assert [len(turn.inbox) for turn in found.turns] == [0, 1, 0]
    told = [e.body.get("inbox") for e in found.events if e.kind == "turn_started"]
    reason = "a post is an object with a text"
    assert told == [None, [{"post": "g.a/1/0", "reason": reason}], None]


def test_several_refusals_are_messages_of_their_own() -> None:
    found = play([broadcast("a"), sub("a")], {"g.a": [yields(7, 8), done()]})
    assert [m.message_id for m in found.turns[-1].inbox] == ["r/g.a/1/told", "r/g.a/1/told-1"]


def test_a_board_has_no_channels() -> None:
    items = [
        item("g", role_id="", pattern="joint", children=("g.a",)),
        item("g.a", parent="g"),
    ]
    found = play(items, {"g.a": [yields(says("x")), done()]})
    assert found.turns[-1].inbox[0].payload["reason"] == (
        "a board has no channels, so none is named 'facts'"
    )


def test_who_works_alone_has_nobody_to_post_to_and_goes_on() -> None:
    found = play([item("a")], {"a": [yields("hello"), done()]})
    assert found.turns[-1].inbox[0].payload["reason"] == (
        "it is no part of an item whose sub-tasks talk"
    )
    assert found.status == "complete"


@pytest.mark.parametrize(
    "lost", [failed("error", posts=[says("x")]), rejected() | {"posts": [says("x")]}]
)
def test_what_a_turn_posts_that_failed_reaches_nobody(lost: Any) -> None:
    items = [broadcast("a"), sub("a", retry=Retry(2))]
    found = play(items, {"g.a": [lost, done(posts=[says("x")])]})
    assert found.started() == ["g.a", "g.a"]
    assert log_of(found) == [("a", "facts", "x")]
    assert found.turns[1].inbox == ()


def test_a_turn_over_its_budget_posts_nothing() -> None:
    items = [broadcast("a"), sub("a", role_id="frugal")]
    spent = done(posts=[says("x")], usage={"model_calls": 9})
    roles = [role(), role("frugal", Budget(model_calls=1))]
    found = play(items, {"g.a": spent}, roles=roles, budget=Budget(model_calls=5))
    assert found.reason("g.a").startswith("it used 9 model_calls")
    board = found.run.state.nodes["g"].talk
    assert board is not None
    assert [post.author for post in board.log] == ["run"]


def test_what_is_posted_beside_a_result_whose_steps_are_still_to_be_done_is_heard() -> None:
    reads = Grant(outputs=("result",))
    after = lead("g.b", parent="g", depends_on=("g.a",), grant=reads)
    members = (lead("g.a", parent="g", max_steps=1), after)
    steps = {"tool": "decompose_task", "arguments": {"steps": [{"goal": "x", "capabilities": []}]}}
    script = {"g.a": [ask(steps), done(posts=[says("x")])]}
    found = World(a_plan(broadcast("a", "b"), *members), script).play()
    assert found.status == "complete"
    assert log_of(found) == [("a", "facts", "x")]
    assert found.heard("g.b") == [[("lead#g.a", "x")]]


def test_why_posts_of_a_turn_reach_nobody_is_known_from_its_event() -> None:
    found = play([item("a")], {"a": done(posts=[says("x"), says(" ")])})
    ended = next(event for event in found.events if event.kind == "turn_ended")
    assert refused(found.run.state.nodes["a"], ended) == [
        "it is no part of an item whose sub-tasks talk",
        "it has no text",
    ]
