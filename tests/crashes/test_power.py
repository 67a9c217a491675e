"""Power that fails at any moment takes nothing that was promised, and the run goes on."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from tests.crashes.power import Recording, broken_promise, faults, losses, recorded
from tests.crashes.references import REFERENCES, Reference

LABS = [one for one in REFERENCES if one.manifest.startswith("labs/")]


@pytest.fixture
def reference(chance: random.Random) -> Reference:
    """One of the labs."""
    return chance.choice(LABS)


@pytest.fixture
def recording(reference: Reference, tmp_path: Path) -> Recording:
    """An undisturbed run of it."""
    return recorded(reference, tmp_path / "recorded")


def broken(recording: Recording, seed: str, folder: Path) -> list[str]:
    """What is wrong with ledgers, whenever the power fails."""
    found = (broken_promise(recording, loss, folder) for loss in losses(recording, seed))
    return [wrong for wrong in found if wrong]


def test_what_was_promised_is_there_whenever_the_power_fails(
    recording: Recording, tmp_path: Path
) -> None:
    assert recording.operations[-1].kind != "acknowledged"
    assert broken(recording, "any", tmp_path / "ledgers") == []


@pytest.mark.parametrize("kind", ["sync", "sync_folder"])
def test_a_ledger_that_did_not_sync_would_be_found(
    recording: Recording, kind: str, tmp_path: Path
) -> None:
    careless = tuple(one for one in recording.operations if one.kind != kind)
    assert broken(replace(recording, operations=careless), "any", tmp_path / "ledgers")


def test_a_run_goes_on_as_if_the_power_had_not_failed(
    reference: Reference, recording: Recording, chance: random.Random, tmp_path: Path
) -> None:
    seed = f"{chance.getrandbits(16):04x}"
    some = chance.sample(list(losses(recording, seed)), 4)
    again = f"python tests/crashes/programme.py {reference.manifest} power {seed}"
    assert list(faults(reference, recording, some, tmp_path / "ledgers")) == [], again
