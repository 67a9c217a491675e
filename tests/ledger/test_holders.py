"""A holder is gone only where that is certain."""

import os
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from forge_cli.ledger import holders

HOST = socket.gethostname()


def test_the_own_process_is_there() -> None:
    assert not holders.is_gone(holders.here())


def test_who_stands_still_is_not_at_work() -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        started = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[19]
        holder = f"{HOST}:{process.pid}:{started}"
        assert holders.is_at_work(holder)
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
        assert not holders.is_at_work(holder)
        assert not holders.is_gone(holder)
        process.kill()
        process.wait()
        assert holders.is_gone(holder)
        assert not holders.is_at_work(holder)


def test_a_later_process_with_the_same_pid_is_another() -> None:
    assert holders.is_gone(f"{HOST}:{os.getpid()}:1")


@pytest.mark.parametrize(
    "holder",
    ["", "pid 1", f"{HOST}:{os.getpid()}", f"not-{HOST}:{os.getpid()}:1", f"{HOST}:x:1"],
    ids=["nobody", "another form", "no start time", "another host", "no pid"],
)
def test_what_cannot_be_known_is_not_gone_nor_at_work(holder: str) -> None:
    assert not holders.is_gone(holder)
    assert not holders.is_at_work(holder)
