"""Turns and results survive the way to a worker and back."""

import json
from dataclasses import replace

import pytest

from forge_cli.handlers.wire import decode_result, decode_turn, encode_result, encode_turn
from forge_cli.multiagent.messages import AgentMessage
from forge_cli.multiagent.plan import Grant
from forge_cli.multiagent.turn import Turn, TurnResult


def test_a_turn_comes_back_as_it_was(turn: Turn) -> None:
    full = replace(
        turn,
        inputs={"a": ["ü", 1.5, None]},
        grant=Grant(frozenset({"b", "a"}), frozenset({"x"}), ("files:**",), ("w",), ("o", "p")),
        budget={"tokens": 3},
        context={"c": 1},
        completion={"type": "object"},
        inbox=(AgentMessage("m", "c", "s", "r", "request", {"p": 1}),),
        state=[1],
        group={"pattern": "joint", "members": ["a"]},
        delegates=("helper",),
        max_steps=3,
        answers=({"request": "a/1/1", "status": "succeeded"},),
    )
    for whole in (turn, full):
        assert decode_turn(json.loads(encode_turn(whole))) == whole


@pytest.mark.parametrize(
    "result",
    [
        TurnResult.done({"a": 1}, {"a": "sha256:0"}, {"tokens": 1}, ("e",)),
        TurnResult.failed("error", "why", [1], {"tokens": 0}),
        TurnResult.yields({"s": 1}, ("p",), ({"r": 1},)),
        TurnResult.done({}),
    ],
)
def test_a_result_comes_back_as_it_was(result: TurnResult) -> None:
    words = json.loads(json.dumps(encode_result(result)))
    assert decode_result(words) == result


def test_an_unknown_status_is_refused() -> None:
    with pytest.raises(ValueError, match="status is 'great', not one of done, failed, yields"):
        decode_result({"status": "great"})
