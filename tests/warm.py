"""A Python that has all of forge in memory and becomes, for each command, a process of its own.

Forking it saves a command the start of an interpreter, most of what a small one takes. What it
becomes is a real process: it has its own working folder, environment and streams, may be killed,
and ends as any other does. `python -m tests.warm` reads lines of JSON: what
to become at once. It says the process ids of these, and in the end their exit statuses.
"""

import atexit
import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import forge_cli

ROOT = Path(__file__).parents[1]
_LEFT_OUT = ("forge_cli.__main__", "forge_cli.testing", "forge_cli.handlers.agent")
"""What most commands never import, or what is the program itself."""


@dataclass(frozen=True, slots=True)
class Command:
    """A module that is run as a program (`python -m`), with its words, and where it is."""

    module: str
    words: Sequence[str]
    cwd: str
    environ: Mapping[str, str]


class Warm:
    """One such Python; it becomes one process at a time, or several that start together."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.warm"],
            cwd=ROOT,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        atexit.register(self._process.communicate)

    def run(self, command: Command, given: bytes, patience: float) -> "Told":
        """What the command comes to; `given` is what it reads.

        Raises `subprocess.TimeoutExpired` after `patience` seconds.
        """
        return self.race([command], given, patience)[0]

    def race(self, commands: Sequence[Command], given: bytes, patience: float) -> "list[Told]":
        """The same for several, which pass one barrier together when all of them are there."""
        with tempfile.TemporaryDirectory() as name:
            folders = [Path(name) / str(number) for number in range(len(commands))]
            for folder in folders:
                folder.mkdir()
                (folder / "0").write_bytes(given)
            self._say(
                [
                    ([one.module, *one.words], one.cwd, dict(one.environ), str(folder))
                    for one, folder in zip(commands, folders, strict=True)
                ]
            )
            statuses = self._end(self._hear(), commands, patience)
            return [
                (status, (folder / "1").read_bytes(), (folder / "2").read_bytes())
                for status, folder in zip(statuses, folders, strict=True)
            ]

    def _say(self, asked: object) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(asked).encode() + b"\n")
        self._process.stdin.flush()

    def _hear(self) -> list[int]:
        assert self._process.stdout
        heard: list[int] = json.loads(self._process.stdout.readline())
        return heard

    def _end(self, pids: list[int], commands: Sequence[Command], patience: float) -> list[int]:
        assert self._process.stdout
        if select.select([self._process.stdout], [], [], patience)[0]:
            return self._hear()
        hanging = list(filter(_kill, pids))
        ended = self._hear()
        if not hanging:  # It was this process that stood still.
            return ended
        raise subprocess.TimeoutExpired([commands[0].module, *commands[0].words], patience)


def _kill(pid: int) -> bool:
    """Whether there was such a process."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


Told = tuple[int, bytes, bytes]
"""Exit status of a command (a signal is negative), its output and its errors."""

_of_thread = threading.local()


def warm() -> Warm:
    """The one of this thread; it ends with the process."""
    if not hasattr(_of_thread, "warm"):
        _of_thread.warm = Warm()
    found: Warm = _of_thread.warm
    return found


def _serve() -> None:
    for module in pkgutil.walk_packages(forge_cli.__path__, "forge_cli."):
        if not module.name.startswith(_LEFT_OUT):
            importlib.import_module(module.name)
    gc.collect()
    gc.freeze()
    # Streams of their own, so that those of the process are as new ones in what it becomes.
    with os.fdopen(os.dup(0)) as asked, os.fdopen(os.dup(1), "w", buffering=1) as said:
        for line in asked:
            ready, go = os.pipe()
            pids = []
            for each in json.loads(line):
                pid = os.fork()
                if not pid:
                    asked.close()
                    said.close()
                    os.close(go)
                    os.read(ready, 1)
                    os.close(ready)
                    os._exit(_become(*each))
                pids.append(pid)
            os.close(ready)
            os.close(go)
            print(json.dumps(pids), file=said)
            ended = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
            print(json.dumps(ended), file=said)


def _become(argv: list[str], cwd: str, environ: dict[str, str], folder: str) -> int:
    """Be the program; returns its exit status when all but its memory is given back."""
    for number, flags in enumerate((os.O_RDONLY, *(os.O_WRONLY | os.O_CREAT,) * 2)):
        file = os.open(f"{folder}/{number}", flags, 0o600)
        os.dup2(file, number)
        os.close(file)
    os.chdir(cwd)
    # Where no language is set, a Python that starts sets this one, and hands it on.
    coerced = {name: os.environ[name] for name in ("LC_CTYPE",) if name in os.environ}
    os.environ.clear()
    os.environ.update(coerced | environ)
    time.tzset()
    sys.path[0] = cwd
    sys.argv[:] = ["", *argv[1:]]
    status = 0
    try:
        runpy.run_module(argv[0], run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # noqa: BLE001 - told as the interpreter tells it
        traceback.print_exc()
        status = 1
    for thread in threading.enumerate():
        if not thread.daemon and thread is not threading.current_thread():
            thread.join()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    return status


if __name__ == "__main__":
    _serve()
