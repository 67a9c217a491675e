"""What a signal does to `forge run`, with real processes."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from forge_cli.__main__ import main

ROOT = Path(__file__).resolve().parents[2]
MANIFEST = """forge: 1
work_items:
  first: {role: sleeper}
  next: {run: ["true"], capabilities: [], depends_on: [first]}
roles:
  sleeper: {capabilities: [], handler: {kind: command, argv: [bash, -c, %s], grace: 10s}}
"""
TIDY = "trap 'exit 0' TERM; echo $$ > pid; sleep 600 & wait"
STUBBORN = "trap '' TERM; echo $$ > pid; while :; do sleep 0.1; done"

pytestmark = pytest.mark.usefixtures("unheld")  # what is stopped says so in the workspace

Start = Callable[[str], "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Starts a run of a program and returns once that is under way."""
    monkeypatch.chdir(tmp_path)
    started: list[subprocess.Popen[str]] = []

    def begin(program: str) -> "subprocess.Popen[str]":
        (tmp_path / "m.yaml").write_text(MANIFEST % json.dumps(program))
        os.mkfifo(tmp_path / "pid")
        process = subprocess.Popen(
            [sys.executable, "-m", "forge_cli", "run", "m.yaml", "--run-id", "r"],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        (tmp_path / "child").write_text((tmp_path / "pid").read_text())
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def is_alive(folder: Path) -> bool:
    return Path(f"/proc/{int((folder / 'child').read_text())}").exists()


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_one_signal_cancels_what_runs_writes_evidence_and_leaves_the_run_resumable(
    start: Start, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    process = start(TIDY)
    process.send_signal(number)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == code
    assert f"INTERRUPTED  stopped by {number.name}" in out
    assert not is_alive(tmp_path)
    run = json.loads((tmp_path / "evidence" / "m" / "r" / "run.json").read_text())
    assert run["run"]["status"] == "interrupted"
    assert {name: item["status"] for name, item in run["items"].items()} == {
        "first": "ready",
        "next": "waiting",
    }
    assert main(["verify", "--quiet", "evidence"]) == 0


def test_a_second_signal_ends_forge_at_once(start: Start, tmp_path: Path) -> None:
    process = start(STUBBORN)
    process.send_signal(signal.SIGTERM)
    assert process.stderr is not None
    assert any("stopping" in line for line in process.stderr), "it never said so"
    process.send_signal(signal.SIGTERM)
    _, told = process.communicate(timeout=8)
    assert process.returncode == 143
    assert "ended at once by a second signal, SIGTERM" in told
    assert "forge show r" in told
    assert not (tmp_path / "evidence").exists()


def test_a_closed_terminal_does_not_stop_a_run_that_ignores_it(start: Start) -> None:
    found = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does for what it starts
    try:
        process = start(TIDY)
    finally:
        signal.signal(signal.SIGHUP, found)
    process.send_signal(signal.SIGHUP)
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 143
    assert "stopped by SIGTERM" in out


@pytest.mark.parametrize("form", ["text", "jsonl"])
def test_a_terminal_that_is_closed_ends_the_run_with_129_and_evidence(
    tmp_path: Path, form: str
) -> None:
    (tmp_path / "m.yaml").write_text(MANIFEST % json.dumps(TIDY))
    os.mkfifo(tmp_path / "pid")
    master, slave = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "forge_cli", "run", "m.yaml", "--run-id", "r", "--format", form],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        stdin=slave,
        stdout=slave,
        stderr=slave,
    )
    os.close(slave)
    (tmp_path / "pid").read_text()
    os.close(master)
    process.send_signal(signal.SIGHUP)
    assert process.wait(timeout=60) == 129
    assert (tmp_path / "evidence" / "m" / "r" / "verification.json").exists()
