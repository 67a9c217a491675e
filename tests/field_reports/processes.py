"""Real processes of forge in a folder of their own, as users have them."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.warm import ROOT, Command, warm

PROGRAM = (sys.executable, "-m", "forge_cli")
PATIENCE = 60
"""Seconds after which a process counts as one that hangs."""


@dataclass(frozen=True)
class Ended:
    """How a process ended: its exit status (a signal is negative) and what it wrote."""

    code: int
    out: str
    err: str

    @classmethod
    def of(cls, code: int, out: bytes, err: bytes) -> "Ended":
        """One that has written these bytes."""
        return cls(code, out.decode(errors="replace"), err.decode(errors="replace"))


@dataclass(frozen=True)
class Forge:
    """Starts forge in one folder with a small environment."""

    folder: Path
    root: Path = ROOT

    def write(self, name: str, text: str | bytes) -> Path:
        """A file below the folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def __call__(
        self,
        *arguments: str | Path,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        program: Sequence[str] = (),
        prefix: Sequence[str] = (),
    ) -> Ended:
        """Run it to its end; `program` stands in for it, `prefix` are words in front of it."""
        environ = self.environment(env)
        if not prefix and self.root == ROOT and _is_module(program or PROGRAM, env or {}):
            module, *words = [*(program or PROGRAM)[2:], *map(str, arguments)]
            command = Command(module, words, str(cwd or self.folder), environ)
            return Ended.of(*warm().run(command, stdin, PATIENCE))
        done = subprocess.run(
            [*prefix, *(program or PROGRAM), *map(str, arguments)],
            cwd=cwd or self.folder,
            env=environ,
            input=stdin,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
        return Ended.of(done.returncode, done.stdout, done.stderr)

    def start(self, *arguments: str | Path, **options: Any) -> "subprocess.Popen[bytes]":
        """Start it and go on."""
        program = options.pop("program", PROGRAM)
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        options.setdefault("cwd", self.folder)
        return subprocess.Popen(
            [*program, *map(str, arguments)],
            env=self.environment(options.pop("env", None)),
            **options,
        )

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """What the process is given."""
        given = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "PYTHONPATH": str(self.root)}
        given["FORGE_SANDBOX"] = (
            "off"  # handlers do their worst; what holds them is tried elsewhere
        )
        return given | dict(more or {})

    def record(self, name: str = "*") -> dict[str, Any]:
        """`run.json` of the only run of the manifest."""
        (path,) = self.folder.glob(f"evidence/{name}/*/run.json")
        record: dict[str, Any] = json.loads(path.read_text())
        return record

    def events(self, name: str = "*") -> list[dict[str, Any]]:
        """The events in the evidence of the only run of the manifest."""
        (path,) = self.folder.glob(f"evidence/{name}/*/events.jsonl")
        return [json.loads(line) for line in path.read_text().splitlines()]

    def pid(self, name: str) -> int:
        """The process id that a handler wrote into this file, as soon as it has."""
        return int(until(lambda: (self.folder / name).read_text().strip()))


def _is_module(program: Sequence[str], env: Mapping[str, str]) -> bool:
    """Whether a Python that runs already can become the program.

    It cannot where variables are given that Python reads when it starts.
    """
    starts = any(name.startswith(("PYTHON", "LC_", "LANG")) for name in env)
    return not starts and tuple(program[:2]) == PROGRAM[:2]


def at_once(forge: Forge, commands: Sequence[Sequence[str]]) -> list[int]:
    """The exit statuses of processes that pass one barrier together."""
    environ = forge.environment()
    racers = [Command(PROGRAM[2], words, str(forge.folder), environ) for words in commands]
    return [status for status, _, _ in warm().race(racers, b"", PATIENCE)]


def until(look: Callable[[], Any]) -> Any:
    """What `look` returns once that is something; a file that is not there yet is nothing."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            if seen := look():
                return seen
        except FileNotFoundError:
            pass
        time.sleep(0.01)
    raise TimeoutError(f"nothing was seen in {PATIENCE} s")


def runs(pid: int) -> bool:
    """Whether a process is there and has not ended."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return text.rpartition(")")[2].split()[0] not in "ZX"


def stop(process: "subprocess.Popen[bytes]", number: int = signal.SIGKILL) -> Ended:
    """Signal a process that was started, and wait for it."""
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)
    return Ended(process.returncode, out.decode(), err.decode())
