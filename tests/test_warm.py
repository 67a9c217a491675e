"""A warm Python becomes processes that are as new ones."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.warm import Command, warm

PROBE = """
import os, sys
print(sys.argv[1:], os.getcwd(), sorted(os.environ), sys.stdin.read(), os.getpid())
print("aside", file=sys.stderr)
sys.exit(int(sys.argv[1]))
"""


def command(folder: Path, source: str, *words: str) -> Command:
    (folder / "probe.py").write_text(source)
    return Command("probe", words, str(folder), {"A": "b"})


def test_it_has_words_a_folder_variables_and_streams_of_its_own(tmp_path: Path) -> None:
    status, out, err = warm().run(command(tmp_path, PROBE, "7", "x"), b"given", 60)
    assert status == 7
    assert out.decode().startswith(f"['7', 'x'] {tmp_path} ['A', 'LC_CTYPE'] given ")
    assert err == b"aside\n"


def test_each_is_a_process_of_its_own(tmp_path: Path) -> None:
    said = [warm().run(command(tmp_path, PROBE, "0"), b"", 60)[1].split()[-1] for _ in range(2)]
    assert len({*said, str(os.getpid()).encode()}) == 3


def test_one_that_is_killed_says_by_what(tmp_path: Path) -> None:
    kill = f"import os; os.kill(os.getpid(), {int(signal.SIGKILL)})"
    assert warm().run(command(tmp_path, kill), b"", 60)[0] == -signal.SIGKILL


def test_one_that_fails_leaves_its_traceback(tmp_path: Path) -> None:
    status, _, err = warm().run(command(tmp_path, "1 / 0"), b"", 60)
    assert (status, err.splitlines()[-1]) == (1, b"ZeroDivisionError: division by zero")


def test_one_that_hangs_is_ended_and_the_next_is_served(tmp_path: Path) -> None:
    hangs = command(tmp_path, "import time; time.sleep(60)")
    with pytest.raises(subprocess.TimeoutExpired):
        warm().run(hangs, b"", 0.05)
    assert warm().run(command(tmp_path, PROBE, "0"), b"", 60)[0] == 0
