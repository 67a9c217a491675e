"""Every example of every `--help` does what it says in a fresh copy of the repository."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from forge_cli.__main__ import main
from forge_cli.cli.main import COMMANDS

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository as a clone has it: without what was made in it."""
    made = shutil.ignore_patterns(".*", "build", "dist", "__pycache__")
    folder = shutil.copytree(ROOT, tmp_path_factory.mktemp("fresh") / "forge", ignore=made)
    (folder / ".git").mkdir()
    return folder


def examples(shown: str) -> list[str]:
    """The command lines below `Examples:` in a help text."""
    _, _, rest = shown.partition("Examples:\n")
    return [line.strip() for line in re.split(r"\n\s*\n", rest)[0].splitlines()]


@pytest.mark.parametrize("words", [[], *([command] for command in COMMANDS)], ids=str)
def test_the_examples_run(
    words: list[str], clone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--help"]) == 0
    lines = examples(capsys.readouterr().out)
    assert lines != []
    forge = f'forge() {{ "{sys.executable}" -m forge_cli "$@"; }}'
    ended = subprocess.run(
        ["bash", "-c", "\n".join(["set -euo pipefail", forge, *lines])],
        cwd=clone,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(clone), "LANG": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout
