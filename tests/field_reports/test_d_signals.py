"""Signals at a whole run: once, twice, from outside, and the one that nothing can catch."""

import json
import os
import signal
import sqlite3
import subprocess
from pathlib import Path

import pytest

from tests.field_reports.processes import Forge, runs, stop, until

TIDY = """forge: 1
work_items:
  a:
    script: |
      trap 'sleep 0.5; echo tidy > tidied.txt; exit 9' TERM
      echo $$ > a.pid
      while :; do sleep 0.05; done
    capabilities: []
  b: {run: [touch, later.txt], capabilities: [], depends_on: [a]}
"""
DEAF = TIDY.replace("trap 'sleep 0.5; echo tidy > tidied.txt; exit 9' TERM", "trap '' TERM")


def started(forge: Forge, manifest: str) -> "tuple[subprocess.Popen[bytes], int]":
    """A run under way, and the pid of its handler."""
    forge.write("m.forge.yaml", manifest)
    process = forge.start("run", "m.forge.yaml")
    return process, forge.pid("a.pid")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_one_signal_stops_cleanly(forge: Forge, number: int, code: int) -> None:
    """borgbackup/borg#519, snakemake/snakemake#448: TERM was not SIGINT, children got KILL."""
    process, handler = started(forge, TIDY)
    ended = stop(process, number)
    assert ended.code == code
    assert ended.out.startswith("INTERRUPTED")
    assert (forge.folder / "tidied.txt").read_text() == "tidy\n"
    assert not runs(handler)
    assert not (forge.folder / "later.txt").exists()
    assert forge.record()["run"]["status"] == "interrupted"
    assert forge("verify", "evidence").code == 0


def test_a_stopped_run_holds_no_lease(forge: Forge) -> None:
    """borgbackup/borg#519: the lock stayed, and the next run waited for ever."""
    process, _ = started(forge, TIDY)
    stop(process, signal.SIGTERM)
    (ledger,) = forge.folder.glob(".forge/runs/*/ledger.db")
    connection = sqlite3.connect(ledger)
    (until_,) = connection.execute("SELECT until FROM lease").fetchone()
    (last,) = connection.execute("SELECT max(time) FROM events").fetchone()
    connection.close()
    assert until_ < last + 60_000


def test_a_second_signal_ends_it_at_once(forge: Forge) -> None:
    """SigProfilerSuite/SigProfilerAssignment#138: Ctrl-C was ignored."""
    process, handler = started(forge, DEAF)
    process.send_signal(signal.SIGINT)
    until(lambda: b"stopping" in (process.stderr.readline() if process.stderr else b""))
    assert stop(process, signal.SIGINT).code == 130
    until(lambda: not runs(handler))
    assert forge("runs").code == 0


def test_nothing_outlives_a_killed_forge_and_its_run_is_abandoned(forge: Forge) -> None:
    """panoptes-organization/panoptes#99, PrefectHQ/prefect#16746: it was running for ever."""
    process, handler = started(forge, DEAF)
    assert stop(process, signal.SIGKILL).code == -signal.SIGKILL
    until(lambda: not runs(handler))
    assert "abandoned" in forge("runs").out
    shown = forge("show")
    assert shown.code == 0
    assert "ABANDONED" in shown.out


def test_a_signal_behind_the_end_changes_no_status(forge: Forge) -> None:
    """PrefectHQ/prefect#23025: a late SIGTERM turned Completed into Crashed."""
    forge.write("m.forge.yaml", "forge: 1\nwork_items: {a: {run: ['true'], capabilities: []}}\n")
    process = forge.start("run", "m.forge.yaml", "--format", "jsonl")
    assert process.stdout
    until(lambda: json.loads(process.stdout.readline())["kind"] == "run_ended")  # type: ignore[union-attr]
    ended = stop(process, signal.SIGTERM)
    assert ended.code in (0, 143, -signal.SIGTERM)
    assert forge.record()["run"]["status"] == "complete"
    assert forge("verify", "evidence").code == 0


def head(forge: Forge, *arguments: str) -> tuple[int, bytes]:
    """The exit status of forge when its reader takes one line and goes away; what it complained."""
    process = forge.start(*arguments)
    assert process.stdout
    assert process.stderr
    process.stdout.readline()
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    return process.wait(60), said


def test_a_reader_who_goes_away_is_no_error_of_validate(forge: Forge) -> None:
    """ansible/ansible#14774, ansible/ansible-lint#11, xorq-labs/xorq#2228: a traceback."""
    for number in range(300):
        forge.write(f"big/{number}.forge.yaml", "zzz: 1\n" * 20)
    code, said = head(forge, "validate", "big")
    assert code == 141
    assert said == b""


@pytest.mark.parametrize("form", ["text", "jsonl"])
def test_a_reader_who_goes_away_does_not_stop_the_run(forge: Forge, form: str) -> None:
    """xorq-labs/xorq#2228: the pipe of a pager must not decide what gets done."""
    forge.write(
        "m.forge.yaml",
        """forge: 1
work_items:
  a: {script: "while [ ! -e go ]; do sleep 0.02; done", capabilities: []}
  b: {run: [touch, done.txt], capabilities: [], depends_on: [a]}
""",
    )
    read, write = os.pipe()
    process = forge.start("run", "m.forge.yaml", "--format", form, stdout=write)
    os.close(write)
    if form == "jsonl":
        os.read(read, 1)
    os.close(read)
    (forge.folder / "go").touch()
    process.communicate(timeout=60)
    assert process.returncode == 141
    assert (forge.folder / "done.txt").exists()
    assert forge.record()["run"]["status"] == "complete"


def test_a_full_standard_output_is_told_and_does_not_stop_the_run(forge: Forge) -> None:
    forge.write("m.forge.yaml", "forge: 1\nwork_items: {a: {run: [echo, x], capabilities: []}}\n")
    with Path("/dev/full").open("wb") as full:
        process = forge.start("run", "m.forge.yaml", "--format", "jsonl", stdout=full)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 2
    assert said == b"forge: error: the output cannot be written: No space left on device\n"
    assert forge.record()["run"]["status"] == "complete"
