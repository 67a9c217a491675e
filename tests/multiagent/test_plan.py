"""Deadlines and pauses as a plan states them."""

import pytest

from forge_cli.multiagent.plan import Deadline, Retry
from tests.multiagent.world import item, plan


@pytest.mark.parametrize(
    ("deadline", "resolved"),
    [
        (Deadline(at=5_000), 5_000),
        (Deadline(within=3_000), 4_000),
        (Deadline(at=5_000, within=3_000), 4_000),
        (Deadline(at=2_000, within=3_000), 2_000),
    ],
)
def test_the_earlier_of_a_time_and_a_span_holds(deadline: Deadline, resolved: int) -> None:
    assert deadline.resolve(1_000) == resolved


@pytest.mark.parametrize(("attempt", "pause"), [(1, 2_000), (2, 4_000), (3, 8_000)])
def test_each_pause_is_the_factor_times_the_one_before(attempt: int, pause: int) -> None:
    assert Retry(9, backoff=2_000, factor=2_000).pause(attempt) == pause


@pytest.mark.parametrize(("attempt", "pause"), [(1, 2_000), (2, 3_000), (90, 3_000)])
def test_no_pause_is_longer_than_the_longest(attempt: int, pause: int) -> None:
    assert Retry(9, backoff=2_000, factor=2_000, maximum=3_000).pause(attempt) == pause


def test_a_first_pause_over_the_longest_is_cut() -> None:
    assert Retry(9, backoff=5_000, maximum=3_000).pause(1) == 3_000


def test_without_a_backoff_there_is_no_pause() -> None:
    assert Retry(9, factor=2_000).pause(4) == 0


def test_an_id_is_an_item_or_an_element_of_one_or_was_made_at_run_time() -> None:
    found = plan([item("a")])
    assert found.planned("a") is found.planned("a.0") is found.items["a"]
    assert found.planned("a.child-1-1") is found.planned("b") is None
