"""Completion in the shells that people use."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from forge_cli.cli.main import COMMANDS

ROOT = Path(__file__).parents[2]

Typed = Callable[..., str]


@pytest.fixture
def typed(tmp_path: Path) -> Typed:
    """What forge prints when it is asked for `option` in a shell of that name.

    The shell is found by the name of the process that forge was started from, so each is played
    by bash here.
    """

    def run(shell: str, option: str) -> str:
        bash = shutil.which("bash")
        assert bash is not None
        named = shutil.copy(bash, tmp_path / shell)
        command = f'"{sys.executable}" -m forge_cli {option}; exit $?'
        env = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}
        return subprocess.run(
            [named, "-c", command],
            env=env,
            cwd=tmp_path,
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    return run


def completed(words: str) -> list[str]:
    """What bash is offered for the last of these words."""
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    env = {**os.environ, **asked, "PYTHONPATH": str(ROOT), "_FORGE_COMPLETE": "complete_bash"}
    return subprocess.run(
        [sys.executable, "-m", "forge_cli"], env=env, check=True, capture_output=True, text=True
    ).stdout.split()


SCRIPTS = [
    ("bash", "complete -o default -F _forge_completion forge"),
    ("zsh", "#compdef forge"),
    ("fish", "complete --command forge"),
]


@pytest.mark.parametrize(("shell", "line"), SCRIPTS)
def test_the_script_of_the_shell_is_shown(shell: str, line: str, typed: Typed) -> None:
    assert line in typed(shell, "--show-completion")


@pytest.mark.parametrize(
    ("shell", "place"),
    [
        ("bash", ".bash_completions/forge.sh"),
        ("zsh", ".zfunc/_forge"),
        ("fish", ".config/fish/completions/forge.fish"),
    ],
)
def test_the_script_is_put_where_the_shell_looks(
    shell: str, place: str, typed: Typed, tmp_path: Path
) -> None:
    assert place in typed(shell, "--install-completion")
    assert "forge" in (tmp_path / place).read_text()


def test_commands_are_completed() -> None:
    assert completed("forge ") == list(COMMANDS)
    assert completed("forge v") == ["validate", "verify"]


@pytest.mark.parametrize("command", COMMANDS)
def test_options_of_each_command_are_completed(command: str) -> None:
    assert completed(f"forge {command} --verb") == ["--verbose"]
