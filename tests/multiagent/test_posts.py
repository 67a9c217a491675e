"""Posts that are taken, and posts that are refused and told to their sender."""

from typing import Any

import pytest

from forge_cli.multiagent.board import INLINE
from tests.multiagent.test_broadcast import broadcast, log_of, says, sub
from tests.multiagent.world import done, item, play, yields


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
