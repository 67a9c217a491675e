"""Conditions and criteria: what they say, and that none of them keeps forge from anything else."""

import os
import signal
import time

import pytest

from forge_cli.gateway.expressions import ExpressionError, evaluate, holds
from forge_cli.gateway.metering import STEPS, CostError, Metered
from forge_cli.gateway.patience import StoppedError, within
from forge_cli.multiagent.terms import LONGEST_EXPRESSION

NESTED = "map(&map(&map(&map(&map(&@, $l), $l), $l), $l), $l)".replace("$l", f"`{[0] * 60}`")
DOUBLED = "[@,@]" + "|[@,@]" * 60


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("a == `1`", True),
        ("a != `1`", False),
        ("t == `text`", True),
        ("a > `0` && a < `2`", True),
        ("l[].x", [1, 2, 3]),
        ("a[]", None),
        ("sort(l[].x)[-1]", 3),
        ("sum(map(&x, l[]))", 6),
        ("contains(t, 'ex')", True),
        ("l[?length(@) > `1`] | [0][1].x", 2),
        ("length(m)", 2),
    ],
)
def test_an_expression_has_the_value_that_jmespath_says(expression: str, value: object) -> None:
    data = {"a": 1, "l": [[{"x": 1}, {"x": 2}], [{"x": 3}]], "t": "text", "m": {"p": 1, "q": {}}}
    assert evaluate(expression, data) == value


@pytest.mark.parametrize(
    "expression",
    [
        NESTED,
        f"to_string({DOUBLED})",
        f"{DOUBLED} == `1`",
        f"({DOUBLED})" + "[]" * 60,
        DOUBLED,
        "@" + "|join('', [@,@])" * 60,
        "@|{a: @, b: @}" + "|{a: @, b: @}" * 60,
    ],
    ids=["nested", "text", "compared", "flattened", "result", "joined", "objects"],
)
def test_what_would_go_on_for_ever_is_ended_by_its_cost(expression: str) -> None:
    began = time.process_time()
    with pytest.raises(ExpressionError, match=r"takes more than 2,000,000 steps; ask for less"):
        evaluate(expression, "x", seconds=120)
    assert time.process_time() - began < 10


def test_the_same_data_cost_the_same_each_time() -> None:
    node, data = {"type": "current", "children": []}, [1, "x" * 64, {"a": None}]
    assert Metered(11).value(node, data) == data
    with pytest.raises(CostError):
        Metered(10).value(node, data)


def test_a_condition_over_a_long_list_is_far_from_the_limit() -> None:
    assert holds("length(l[?x > `1`]) > `0`", {"l": [{"x": n} for n in range(STEPS // 50)]})


def test_an_expression_that_takes_too_long_says_so() -> None:
    with pytest.raises(ExpressionError, match=r"it could not be decided within 0\.01 s"):
        evaluate(NESTED, "x", seconds=0.01)


def test_a_text_that_is_longer_than_any_condition_is_refused() -> None:
    with pytest.raises(ExpressionError, match="it has 4,097 characters, more than 4,096"):
        evaluate("a" * (LONGEST_EXPRESSION + 1), {})


@pytest.mark.parametrize("expression", ["floor(to_number(t))", "avg(l)"])
def test_a_number_that_is_beyond_all_numbers_says_so(expression: str) -> None:
    with pytest.raises(ExpressionError, match=r"infinity|too large"):
        evaluate(expression, {"t": "1e999", "l": [10**400]})


def test_a_condition_that_is_neither_true_nor_false_is_none() -> None:
    with pytest.raises(ExpressionError, match="'a' is int, not true or false"):
        holds("a", {"a": 1})
    with pytest.raises(ExpressionError, match="'b' is null, not true or false"):
        holds("b", {"a": 1})


def test_a_signal_ends_a_calculation_and_reaches_whom_it_is_for() -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: seen.append(number))
    try:
        with pytest.raises(StoppedError), within(5):
            os.kill(os.getpid(), signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert seen == [signal.SIGTERM]


def test_no_time_at_all_is_a_limit() -> None:
    with pytest.raises(ExpressionError, match="could not be decided within"):
        evaluate(NESTED, "x", seconds=-1)
