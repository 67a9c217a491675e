"""Random plans in random worlds: crashes, rivals, strays and all, with every promise looked at."""

import pytest

from tests.simulation.hunt import first_broken, report

SEEDS, SHARE = 2_000, 100


@pytest.mark.parametrize("start", range(0, SEEDS, SHARE))
def test_every_promise_holds(start: int) -> None:
    found = first_broken(range(start, start + SHARE))
    assert found is None, report(found)
