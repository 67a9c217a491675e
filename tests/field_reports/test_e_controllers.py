"""Two controllers of one run: one of them drives it, whatever the clocks say."""

import os
import shutil
import signal
import subprocess

import pytest

from tests.field_reports.chains import CHAIN, crashed, holding, log
from tests.field_reports.processes import PROGRAM, Forge, at_once
from tests.programme import size

FAKETIME = shutil.which("faketime")
needs_faketime = pytest.mark.skipif(not FAKETIME, reason="faketime is not installed")


def begun(forge: Forge) -> "subprocess.Popen[bytes]":
    """A run whose second item waits for the file `go`."""
    forge.write("m.forge.yaml", CHAIN.format(on_crash="rerun"))
    process = forge.start("run", "--run-id", "r")
    forge.pid("b.pid")
    return process


def at(offset: str) -> list[str]:
    """Words before a command whose clock is off by so much, and goes on from there."""
    return [FAKETIME or "", "-f", offset]


def test_a_live_run_is_not_resumed_beside_itself(forge: Forge) -> None:
    """dbos-inc/dbos-transact-java#491: recovery adopted a run that was still going on."""
    process = begun(forge)
    refused = forge("resume", "r")
    assert refused.code == 2
    assert f"run 'r' is held by process {process.pid} on" in refused.err
    forge.write("go", "")
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert log(forge) == ["a", "b", "c"]


def test_who_is_taken_over_ends_with_an_error(forge: Forge) -> None:
    """aegra/aegra#502: a stale worker finished the lease of its successor."""
    old = begun(forge)
    os.kill(old.pid, signal.SIGSTOP)
    forge.write("go", "")
    try:
        taken = forge("resume", "r", "--take-over")
        assert taken.code == 0
    finally:
        os.kill(old.pid, signal.SIGCONT)
    _, said = old.communicate(timeout=60)
    assert old.returncode == 2
    assert b"run 'r' was taken over by process" in said
    assert forge.record()["run"]["status"] == "complete"
    holding(forge)


def halted(process: "subprocess.Popen[bytes]") -> None:
    """Let it stand still until it gets SIGCONT."""
    os.kill(process.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)


@needs_faketime
def test_who_stood_still_for_longer_than_his_lease_is_fenced(forge: Forge) -> None:
    """oxpull/django-ox#16, xorbitsai/xagent#1230: a stale worker finished for its successor."""
    old = begun(forge)
    halted(old)
    forge.write("go", "")
    try:
        assert "is held by process" in forge("resume", "r").err
        taken = forge("resume", "r", prefix=at("+2m"))
        assert taken.code == 0, taken.err
    finally:
        os.kill(old.pid, signal.SIGCONT)
    _, said = old.communicate(timeout=60)
    assert old.returncode == 2
    assert b"run 'r' was taken over by process" in said
    assert forge.record()["run"]["status"] == "complete"
    assert [row["epoch"] for row in forge.record()["controllers"]] == [2]
    holding(forge)


@needs_faketime
@pytest.mark.parametrize("offset", ["-1h", "+1h"])
def test_a_clock_that_is_wrong_by_an_hour_takes_no_run_from_who_is_at_work(
    forge: Forge, offset: str
) -> None:
    """xapi-project/sm#578, juju/juju#6940: fresh rows looked hours old, and leases were stolen."""
    process = begun(forge)
    assert "running" in forge("runs", prefix=at(offset)).out
    refused = forge("resume", "r", prefix=at(offset), env={"TZ": "Pacific/Auckland"})
    assert refused.code == 2
    assert f"run 'r' is held by process {process.pid} on" in refused.err
    forge.write("go", "")
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert log(forge) == ["a", "b", "c"]
    holding(forge)


@needs_faketime
def test_a_run_whose_clock_is_an_hour_behind_is_taken_by_nobody(forge: Forge) -> None:
    """oxpull/django-ox#16: wall clocks decided about leases."""
    forge.write("m.forge.yaml", CHAIN.format(on_crash="rerun"))
    process = forge.start("run", "--run-id", "r", program=[*at("-1h"), *PROGRAM])
    forge.pid("b.pid")
    assert forge("resume", "r").code == 2
    forge.write("go", "")
    process.communicate(timeout=60)
    assert process.returncode == 0
    holding(forge)


@pytest.mark.programme
@pytest.mark.parametrize("number", range(size("races")))
def test_of_twenty_who_resume_at_once_one_wins(forge: Forge, number: int) -> None:
    """dbos-inc/dbos-transact-ts#1206: two recoverers returned different results."""
    crashed(forge)
    ended = at_once(forge, [["resume", "r"]] * 20)
    assert ended.count(0) == 1
    assert set(ended) == {0, 2}
    assert log(forge) == ["a", "b", "b", "c"]
    holding(forge)
