"""A seed is a world: it is the same under every hash seed, and what breaks in it is told."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.simulation.hunt import main, report
from tests.simulation.machine_bugs import MACHINE
from tests.simulation.play import broken, play, shrunk
from tests.simulation.scenario import scenario

ROOT = Path(__file__).resolve().parents[2]
DIGEST = """
import hashlib
from forge_cli.engines.simulation.ledger import Disk
from tests.simulation.play import Ways, play
from tests.simulation.scenario import scenario

kept = []
for seed in range(40):
    disk = Disk()
    play(scenario(seed), Ways(disk=lambda: disk))
    kept += disk.events()
print(len(kept), hashlib.sha256(repr(kept).encode()).hexdigest())
"""


def test_a_seed_makes_the_same_events_under_every_hash_seed() -> None:
    found = set()
    for hashes in ("0", "1", "77"):
        env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": hashes}
        argv = [sys.executable, "-c", DIGEST]
        found.add(subprocess.run(argv, env=env, cwd=ROOT, capture_output=True, check=True).stdout)
    assert len(found) == 1
    assert int(found.pop().split()[0]) > 400


def test_runs_come_to_every_end() -> None:
    ends = {play(scenario(seed)).state.status for seed in range(60)}
    assert ends == {"complete", "degraded", "failed"}


def test_what_is_broken_is_told_with_the_command_that_plays_it_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    promise, plant = MACHINE["a turn is not settled"]
    plant(monkeypatch)
    seed = next(seed for seed in range(100) if broken(scenario(seed)))
    least, sentence = shrunk(seed)
    assert sentence.startswith(promise)
    assert len(least.plan.items) == 1
    assert not least.faults
    lines = report(seed).splitlines()
    assert lines[0].startswith(f"seed {seed} breaks {promise}: ")
    assert lines[1] == f"play it again:  make sim SEEDS=1 FROM={seed}"
    assert [line for line in lines if line.startswith("  Item(")]


def test_a_hunt_that_finds_nothing_says_how_much_it_looked_at(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(20, 5) == 0
    assert capsys.readouterr().out == "20 seeds from 5 on: every promise holds\n"
