"""What a command costs: wall time, processor time and memory of it and all that it waited for."""

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
VENV = BUILD / "bench-venv"
_TOOK_TOO_LONG = 124

_PROBE = """\
import json, resource, subprocess, sys, time
began = time.perf_counter()
child = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
wall = time.perf_counter() - began
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([child.returncode, wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))
sys.stderr.buffer.write(child.stderr[-2000:])
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds on the clock, seconds of processor time, and the peak of one process in MiB."""

    wall: float
    cpu: float
    peak: float


def installed() -> str:
    """The program `forge` of a wheel that was built and installed from this tree just now."""
    return str(environment(VENV.name, str(ROOT)) / "forge")


def environment(name: str, *packages: str) -> Path:
    """The programs of a new environment below `build/` with these packages in it."""
    folder = BUILD / name
    shutil.rmtree(folder, ignore_errors=True)
    programs = folder / "bin"
    _check([sys.executable, "-m", "venv", str(folder)])
    pip = [str(programs / "python"), "-m", "pip", "install", "--quiet"]
    _check([*pip, "--disable-pip-version-check", *packages])
    return programs


def bare() -> list[str]:
    """The command that everything is compared with, of the environment that `forge` is in."""
    return [str(VENV / "bin" / "python"), "-c", "pass"]


def measure(argv: Sequence[str], cwd: Path = ROOT, ends: Sequence[int] = (0,)) -> Cost:
    """Run it once, its whole process tree counted.

    Any other exit status than one of `ends` stops the benchmark with what was said. A process of
    its own does the counting, since the kernel adds up all children that a process ever had.
    """
    status, cost, said = _probed(argv, cwd)
    if status not in ends:
        sys.exit(f"{' '.join(argv)} ended with {status}: {said}")
    return cost


def measure_within(seconds: int, argv: Sequence[str], cwd: Path) -> Cost | None:
    """The same; None if it had to be ended because it took longer."""
    status, cost, said = _probed(["timeout", str(seconds), *argv], cwd)
    if status not in (0, _TOOK_TOO_LONG):
        sys.exit(f"{' '.join(argv)} ended with {status}: {said}")
    return None if status else cost


def _probed(argv: Sequence[str], cwd: Path) -> tuple[int, Cost, str]:
    environ = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    probe = [sys.executable, "-I", "-c", _PROBE, *argv]
    ended = subprocess.run(probe, cwd=cwd, env=environ, capture_output=True, check=True)
    status, *figures = json.loads(ended.stdout)
    return status, Cost(*figures), ended.stderr.decode(errors="replace")


def middle(argv: Sequence[str], times: int, cwd: Path = ROOT) -> Cost:
    """The median of each figure over several runs, after one that warms the caches."""
    measure(argv, cwd)
    return median([measure(argv, cwd) for _ in range(times)])


def median(costs: Sequence[Cost]) -> Cost:
    """The median of each figure."""
    return Cost(
        statistics.median(cost.wall for cost in costs),
        statistics.median(cost.cpu for cost in costs),
        max(cost.peak for cost in costs),
    )


def side_by_side(commands: Sequence[Sequence[str]], times: int) -> list[Cost]:
    """The median of each command, all of them taking turns, so that a busy moment meets each."""
    rounds = [[measure(argv) for argv in commands] for _ in range(times + 1)]
    return [median(costs) for costs in zip(*rounds[1:], strict=True)]


def _check(argv: Sequence[str]) -> None:
    ended = subprocess.run(argv, capture_output=True, check=False)
    if ended.returncode:
        sys.exit(f"{' '.join(argv)}: {ended.stderr.decode(errors='replace')}")


def pace() -> float:
    """Nanoseconds of processor time for a step of an empty loop now: what the machine is worth."""
    return min(_paced() for _ in range(9))


def _paced() -> float:
    steps = 300_000
    began = time.process_time_ns()
    for _ in range(steps):
        pass
    return (time.process_time_ns() - began) / steps


def report(name: str, figure: str, promised: str) -> None:
    """One line: what was measured, what came out, and what is promised."""
    sys.stdout.write(f"{name:<34}{figure:>26}   {promised}\n")
    sys.stdout.flush()
