"""What a command costs: wall time, processor time and memory of it and all that it waited for."""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

FORGE = [sys.executable, "-m", "forge_cli"]
ROOT = str(Path(__file__).resolve().parents[2])


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds on the clock, seconds of processor time, and the peak of one process in MiB."""

    wall: float
    cpu: float
    peak: float


def measure(argv: list[str], cwd: str = ".") -> Cost:
    """Run it once; any other end than exit 0 stops the benchmark with what was said."""
    started = time.perf_counter()
    env = {**os.environ, "PYTHONPATH": ROOT}
    child = subprocess.Popen(
        argv, cwd=cwd, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    said = child.stderr.read() if child.stderr else b""
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{argv} ended with {child.returncode}: {said[-2000:].decode(errors='replace')}")
    wall = time.perf_counter() - started
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def best(argv: list[str], times: int, cwd: str = ".") -> Cost:
    """The cheapest of several runs by the clock, after one that warms the caches."""
    measure(argv, cwd)
    return min((measure(argv, cwd) for _ in range(times)), key=lambda cost: cost.wall)
