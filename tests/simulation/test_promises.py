"""Random plans in random worlds: crashes, rivals, strays and all, with every promise looked at."""

import pytest

from tests.programme import SHARES, seeds
from tests.simulation.hunt import first_broken, report


@pytest.mark.programme
@pytest.mark.parametrize("share", range(SHARES))
def test_every_promise_holds(share: int) -> None:
    found = first_broken(seeds("worlds", share))
    assert found is None, report(found)
