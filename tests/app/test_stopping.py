"""A second signal ends forge whatever its loop is busy with; SIGHUP is left to `nohup`."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from forge_cli.app.stopping import Signals

ROOT = str(Path(__file__).resolve().parents[2])
STUCK = """
import asyncio, os, signal, sys
sys.path.append(sys.argv[1])
from forge_cli.app.stopping import Signals
async def main():
    with Signals("r1").stopping(print):
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGTERM)
        print("still here")
asyncio.run(main())
"""


def test_a_second_signal_ends_forge_also_where_its_loop_is_stuck() -> None:
    command = [sys.executable, "-I", "-c", STUCK, ROOT]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (ended.returncode, ended.stdout) == (128 + signal.SIGTERM, "")
    assert ended.stderr.strip().endswith("look  forge show r1")


@pytest.mark.parametrize("before", [signal.SIG_IGN, signal.SIG_DFL])
def test_sighup_is_restored_to_what_it_was(before: signal.Handlers) -> None:
    found = signal.signal(signal.SIGHUP, before)
    try:
        Signals("r1").restore()
        assert signal.getsignal(signal.SIGHUP) is before
    finally:
        signal.signal(signal.SIGHUP, found)
