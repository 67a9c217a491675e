"""The course of items: order, conditions, elements, reviews."""

from typing import Any

import pytest

from forge_cli.manifest.comparison.of_items import Demand, Order
from forge_cli.manifest.comparison.work import condition, elements, order, review


def test_an_order_is_told_by_what_is_and_is_no_longer_waited_for() -> None:
    old = Order(frozenset({"a"}), frozenset({"b"}), frozenset({"a", "b"}))
    new = Order(frozenset({"b"}), frozenset(), frozenset({"b"}))
    verdict = order(old, new)
    assert verdict is not None
    assert verdict.weight == "behavioural"
    assert verdict.witness == "waits for 'b'; no longer waits for 'a', 'b (after)'"


@pytest.mark.parametrize(
    ("old", "new", "needed", "weight", "witness"),
    [
        (None, "x", True, "breaking", "may now be skipped"),
        (None, "x", False, "behavioural", ""),
        ("x", None, True, "behavioural", ""),
        ("x", "y", True, "breaking", "cannot be shown to hold wherever it did"),
        ("x", "y", False, "behavioural", ""),
    ],
)
def test_a_condition_may_not_leave_out_what_somebody_needs(
    old: Any, new: Any, needed: bool, weight: str, witness: str
) -> None:
    verdict = condition(Demand(old, needed), Demand(new, needed))
    assert verdict is not None
    assert (verdict.weight, verdict.witness) == (weight, witness)


@pytest.mark.parametrize(
    ("old", "new", "weight", "witness"),
    [
        ([1, 2], [1], "breaking", "no longer for 2"),
        ([1, 1], [1], "breaking", "no longer so often"),
        ([1], [1, "a"], "compatible", 'also for "a"'),
        ([1, 2], [2, 1], "behavioural", ""),
        (None, [1], "breaking", "outputs become lists"),
        ([1], None, "breaking", "outputs are no longer lists"),
        ("${inputs.a}", "${inputs.b}", "breaking", "cannot be shown to have the same elements"),
    ],
)
def test_elements_are_told_by_those_that_are_lost(
    old: Any, new: Any, weight: str, witness: str
) -> None:
    verdict = elements(Demand(old, True), Demand(new, True))
    assert verdict is not None
    assert (verdict.weight, verdict.witness) == (weight, witness)


ONE = {"of": ["a", "b"], "quorum": 2}


@pytest.mark.parametrize(
    ("old", "new", "weight"),
    [
        (ONE, None, "breaking"),
        (ONE, {"of": ["a"], "quorum": 2}, "breaking"),
        (ONE, {"of": ["a", "b"], "quorum": 1}, "breaking"),
        (ONE, {"of": ["a", "b", "c"], "quorum": 2}, "compatible"),
        (None, ONE, "compatible"),
    ],
)
def test_a_review_of_less_or_by_fewer_is_laxer(old: Any, new: Any, weight: str) -> None:
    verdict = review(old, new)
    assert verdict is not None
    assert verdict.weight == weight


def test_a_review_of_the_same_items_in_another_order_is_the_same() -> None:
    assert review(ONE, {"of": ["b", "a"], "quorum": 2}) is None
