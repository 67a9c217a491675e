"""The simulator sees: every bug that is planted is found within a thousand seeds."""

import pytest

from tests.simulation.machine_bugs import MACHINE
from tests.simulation.play import broken
from tests.simulation.scenario import scenario
from tests.simulation.shell_bugs import SHELLS

MOST = 1_000

BUGS = {**MACHINE, **SHELLS}


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_found(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    promise, plant = BUGS[bug]
    ways = plant(monkeypatch)
    found = (broken(scenario(seed), ways).partition(":")[0] for seed in range(MOST))
    assert promise in found
