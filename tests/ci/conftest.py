"""This repository as others fetch it."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("forge_cli", "pyproject.toml", "README.md", "LICENSE")
"""What a wheel is made of."""

Git = Callable[..., str]


@pytest.fixture(scope="session")
def git() -> Git:
    """Runs git in a folder and gives what it prints; nobody's own settings count."""

    def run(folder: Path, *words: str) -> str:
        settings = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "core.hooksPath="]
        said = subprocess.run(
            ["git", *settings, *words], cwd=folder, capture_output=True, text=True, check=True
        )
        return said.stdout.strip()

    return run


@pytest.fixture(scope="session")
def fetched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what there is to install of this repository, and what others look for in it."""
    folder = tmp_path_factory.mktemp("fetched")
    for name in (*PARTS, ".pre-commit-hooks.yaml"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
        copy(ROOT / name, folder / name)
    return folder
