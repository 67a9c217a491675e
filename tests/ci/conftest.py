"""This repository as others fetch it."""

import shutil
import subprocess
import sys
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
    for name in (*PARTS, ".pre-commit-hooks.yaml", "action.yml"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
        copy(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="session")
def wheel(fetched: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of what was fetched.

    The test is skipped where what it is built with cannot be had from the package index.
    """
    folder = tmp_path_factory.mktemp("wheel")
    said = _pip(
        Path(sys.executable), "wheel", "--no-deps", "--wheel-dir", str(folder), str(fetched)
    )
    if said.returncode:
        pytest.skip(f"the wheel cannot be built: {said.stderr[-500:]}")
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="session")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of an environment that holds nothing but the wheel.

    The test is skipped where what it depends on cannot be had from the package index.
    """
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    said = _pip(folder / "bin" / "python", "install", str(wheel))
    if said.returncode:
        pytest.skip(f"forge cannot be installed: {said.stderr[-500:]}")
    return folder / "bin"


def _pip(python: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    command = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)
