"""The README's tour, typed command by command, prints what the README shows."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Protocol

CHANGING = (
    (r"\b\d{8}-\d{6}-[0-9a-f]{4}\b", "RUN"),
    (r"(?<=forge show )[0-9a-f]{4}\b", "RUN"),
    (r"\b[0-9a-f]{64}\b", "DIGEST"),
    (r"(?<=plan )[0-9a-f]{8}\b", "DIGEST"),
    (r"\b\d{2}:\d{2}:\d{2} UTC\b", "CLOCK"),
    (r"(?<!\d)\d+:\d{2}(?!\d)", "TIME"),
)
"""What differs from run to run and from machine to machine, and what stands for it."""


class Shown(Protocol):
    """One command and the output shown below it."""

    command: str
    output: str


def normal(text: str) -> str:
    for pattern, word in CHANGING:
        text = re.sub(pattern, word, text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def test_the_tour_is_there(tour: list[Shown]) -> None:
    commands = " ".join(step.command for step in tour)
    for word in ("init", "validate", "plan", "run", "verify"):
        assert f"forge {word}" in commands


def test_every_command_prints_what_is_shown(tour: list[Shown], tmp_path: Path) -> None:
    forge = tmp_path / "bin" / "forge"
    forge.parent.mkdir()
    root = Path(__file__).resolve().parents[2]
    forge.write_text(
        f'#!/bin/sh\nPYTHONPATH={root} exec {sys.executable} -m forge_cli "$@"\n', "utf-8"
    )
    forge.chmod(0o755)
    here = tmp_path / "tour"
    here.mkdir()
    path = f"{forge.parent}{os.pathsep}{os.environ['PATH']}"
    env = {"PATH": path, "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    for step in tour:
        argv = ["bash", "-c", step.command]
        said = subprocess.run(
            argv,
            cwd=here,
            env=env,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        assert normal(said.stdout) == normal(step.output), step.command
