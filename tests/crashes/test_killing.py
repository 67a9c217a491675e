"""A process that is killed at any commit leaves a run that goes on as if nothing had happened.

Which points are tried differs from one run of the tests to the next: `CRASH_SEED` gives them again.
`make crash` tries all of them.
"""

import random
import signal
from pathlib import Path

import pytest

from tests.crashes.killing import Point, fault, killed, undisturbed
from tests.crashes.power import recorded
from tests.crashes.references import REFERENCES, Reference
from tests.crashes.watched import SAID

LABS = [one for one in REFERENCES if one.manifest.startswith("labs/")]
LAB = LABS[-1]


def test_the_process_is_killed_before_the_commit_that_was_named(tmp_path: Path) -> None:
    forge, ended = killed(LAB, Point("before", 2), tmp_path / "w")
    assert ended.code == -signal.SIGKILL
    assert ended.out == ""
    assert "0 of 2 items accepted" in forge("show", "--workspace", ".").out


def test_what_was_committed_before_the_process_was_killed_is_there(tmp_path: Path) -> None:
    forge, ended = killed(LAB, Point("after", 4), tmp_path / "w")
    assert ended.code == -signal.SIGKILL
    assert "1 of 2 items accepted" in forge("show", "--workspace", ".").out


@pytest.mark.parametrize("reference", REFERENCES, ids=lambda one: one.manifest)
def test_a_run_that_was_killed_at_a_commit_ends_as_one_that_was_not(
    reference: Reference, chance: random.Random, tmp_path: Path
) -> None:
    due = undisturbed(reference, tmp_path / "undisturbed")
    point = chance.choice(due.points)
    again = f"python tests/crashes/programme.py {reference.manifest} {point}"
    assert fault(reference, point, due, tmp_path / "killed") == "", again


@pytest.mark.parametrize("word", ["kill", "fill"])
def test_a_run_that_was_cut_off_at_an_operation_on_a_file_ends_as_one_that_was_not(
    word: str, chance: random.Random, tmp_path: Path
) -> None:
    reference = chance.choice(LABS)
    due = undisturbed(reference, tmp_path / "undisturbed")
    operations = recorded(reference, tmp_path / "recorded").operations
    count = sum(one.kind not in SAID for one in operations)
    point = Point(word, chance.randint(1, count))
    again = f"python tests/crashes/programme.py {reference.manifest} {point}"
    assert fault(reference, point, due, tmp_path / "cut-off") == "", again


def test_a_run_that_was_killed_twice_ends_as_one_that_was_not(
    chance: random.Random, tmp_path: Path
) -> None:
    reference = chance.choice(LABS)
    due = undisturbed(reference, tmp_path / "undisturbed")
    # The ledger is made by the first commit, taken over by the first of who goes on.
    first = chance.choice(due.points[2:])
    then = Point(chance.choice(["before", "after"]), chance.randint(1, 4))
    wrong = fault(reference, first, due, tmp_path / "killed", then)
    assert wrong == "", f"{reference.manifest} {first}, then {then}"
