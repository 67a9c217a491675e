"""Undoing with real processes: it fails, it is killed, a signal comes, the deadline has passed."""

import json
import signal
import subprocess
from pathlib import Path

import pytest

from tests.field_reports.processes import Forge, runs, stop, until

SAGA = """forge: 1
work_items:
  trip:
    pattern: parallel
    on_failure: compensate
    sub_tasks:
      book:
        script: echo booked > src/book.txt
        capabilities: [write]
        writes: [files:src/**]
        on_crash: rerun
        compensate: restore
      pay:
        script: touch paid
        capabilities: [write]
        on_crash: rerun
        depends_on: [book]
        compensate:
          run: [sh, -c, 'echo $$ > undo.pid; echo $FORGE_KEY >> keys.txt; WAIT; rm -f paid']
      fly:
        script: exit 1
        capabilities: []
        on_failure: fail
        depends_on: [pay]
"""
WAITING = SAGA.replace("WAIT", "until [ -e go ]; do sleep 0.02; done")


def before(forge: Forge, manifest: str) -> None:
    forge.write("m.forge.yaml", manifest)
    forge.write("src/book.txt", "free\n")


def is_as_before(forge: Forge) -> bool:
    booked = (forge.folder / "src/book.txt").read_text()
    return booked == "free\n" and not (forge.folder / "paid").exists()


def keys(forge: Forge) -> list[str]:
    return (forge.folder / "keys.txt").read_text().split()


def done(forge: Forge) -> list[str]:
    """The items whose compensations are recorded done, in order."""
    rows = forge.record()["compensations"]
    return [row["item"] for row in rows if row.get("status") == "done"]


def undoing(forge: Forge) -> "subprocess.Popen[bytes]":
    """A run of which a compensation is under way, and waits for a file."""
    before(forge, WAITING)
    process = forge.start("run", "m.forge.yaml")
    forge.pid("undo.pid")
    return process


def test_one_that_fails_leaves_both_listed_and_can_be_run_again(forge: Forge) -> None:
    """ApexChainx/ApexChainx-Contracts#442: its failure was ignored and its record consumed."""
    before(forge, SAGA.replace("WAIT", "test -e go || exit 7"))
    assert forge("run", "m.forge.yaml").code == 1
    record = forge.record()
    assert (record["run"]["status"], record["run"]["compensation"]) == ("failed", "incomplete")
    assert record["uncompensated"] == ["trip.pay", "trip.book"]
    forge.write("go", "")
    assert forge("resume").code == 1
    assert is_as_before(forge)
    assert done(forge) == ["trip.pay", "trip.book"]
    assert forge("verify", "evidence").code == 0


def test_one_that_is_killed_is_started_again_with_its_key(forge: Forge) -> None:
    """vercel/workflow#41: compensations may run twice, and so they must know."""
    process = undoing(forge)
    assert stop(process, signal.SIGKILL).code == -signal.SIGKILL
    until(lambda: not runs(forge.pid("undo.pid")))
    forge.write("go", "")
    assert forge("resume").code == 1
    first, again = keys(forge)
    assert first == again
    assert is_as_before(forge)
    assert done(forge) == ["trip.pay", "trip.book"]
    assert forge("verify", "evidence").code == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_and_resume_starts_it_again(forge: Forge, number: int) -> None:
    process = undoing(forge)
    ended = stop(process, number)
    assert not runs(forge.pid("undo.pid"))
    assert "compensation: incomplete" in " ".join(ended.out.split())
    assert forge("verify", "evidence").code == 0
    forge.write("go", "")
    assert forge("resume").code == 1
    assert is_as_before(forge)
    assert len(set(keys(forge))) == 1


def test_it_is_undone_when_the_deadline_of_the_run_has_passed(forge: Forge) -> None:
    """argoproj/argo-workflows#2603: the exit handler was stuck for ever behind the deadline."""
    before(
        forge,
        """forge: 1
deadline: 1s
work_items:
  a:
    script: echo changed > src/book.txt; sleep 600
    capabilities: [write]
    writes: [files:src/**]
    on_crash: rerun
    compensate: restore
    on_failure: compensate
""",
    )
    assert forge("run", "m.forge.yaml").code == 1
    assert forge.record()["run"]["compensation"] == "complete"
    assert is_as_before(forge)


STAGES = (
    "run_started",
    "turn_started",
    "snapshot_taken",
    "turn_ended",
    "compensation_started",
    "compensation_ended",
    "run_ended",
)


@pytest.mark.parametrize("stage", STAGES)
def test_whenever_a_signal_comes_the_run_ends_as_without_one(forge: Forge, stage: str) -> None:
    before(forge, SAGA.replace("WAIT", "sleep 0.1"))
    process = forge.start("run", "m.forge.yaml", "--format", "jsonl")
    assert process.stdout
    until(lambda: json.loads(process.stdout.readline())["kind"] == stage)  # type: ignore[union-attr]
    stop(process, signal.SIGTERM)
    if forge.record()["run"]["status"] != "failed" or "uncompensated" in forge.record():
        assert forge("verify", "evidence").code == 0
        assert forge("resume").code == 1
    assert forge.record()["run"]["status"] == "failed"
    assert is_as_before(forge)
    assert sorted(done(forge)) == ["trip.book", "trip.pay"]
    assert len(set(keys(forge))) == 1
    assert forge("verify", "evidence").code == 0


def test_a_person_who_declines_gets_the_files_back(forge: Forge) -> None:
    before(
        forge,
        """forge: 1
work_items:
  a:
    script: echo changed > src/book.txt; exit 1
    capabilities: [write]
    writes: [files:src/**]
    compensate: restore
    on_failure: escalate
""",
    )
    paused = forge("run", "m.forge.yaml")
    assert paused.code == 4
    assert "restore what it changed, end the run as failed" in paused.out
    assert not is_as_before(forge)
    declined = forge("resume", "--deny", "a")
    assert declined.code == 1
    assert "a         restored   1 path as before it began" in declined.err
    assert is_as_before(forge)
    assert forge.record()["items"]["a"]["status"] == "denied"


def test_what_is_kept_is_for_its_owner_and_gone_with_the_run(forge: Forge) -> None:
    manifest = """forge: 1
work_items:
  a:
    script: until [ -e go ]; do sleep 0.02; done
    capabilities: [write]
    writes: [files:src/**]
    compensate: restore
"""
    before(forge, manifest)
    process = forge.start("run", "m.forge.yaml")
    (kept,) = until(lambda: list(forge.folder.glob(".forge/runs/*/snapshots")))
    assert kept.stat().st_mode & 0o777 == 0o700
    forge.write("go", "")
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert not kept.exists()


def test_what_cannot_be_kept_is_not_changed(forge: Forge) -> None:
    before(
        forge,
        """forge: 1
work_items:
  a:
    script: echo changed > other.txt
    capabilities: [write]
    writes: [files:src/**]
    compensate: restore
    required: false
""",
    )
    (forge.folder / "src").chmod(0)
    try:
        if (forge.folder / "src").is_dir() and list(_entries(forge.folder / "src")):
            pytest.skip("root reads everything")
        assert forge("run", "m.forge.yaml").code == 3
    finally:
        (forge.folder / "src").chmod(0o755)
    assert not (forge.folder / "other.txt").exists()
    assert "cannot be kept" in forge.record()["items"]["a"]["reason"]


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except PermissionError:
        return []
