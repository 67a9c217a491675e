"""A copy of the shipped manifests to work on, and their handlers as plain functions."""

import importlib.util
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

MANIFESTS = Path(__file__).resolve().parents[2] / "manifests"

Call = Callable[..., dict[str, Any]]
Named = Callable[[str, str], Call]


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that holds `manifests/`, and is the working folder."""
    shutil.copytree(MANIFESTS, tmp_path / "manifests", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    return tmp_path


@pytest.fixture
def handler(workspace: Path) -> Named:
    """A handler by its file below `manifests/` and its name; called with its inputs."""

    def find(file: str, name: str) -> Call:
        path = workspace / "manifests" / file
        spec = importlib.util.spec_from_file_location(path.parent.name + "_handlers", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)

        def call(**inputs: Any) -> dict[str, Any]:
            answer: dict[str, Any] = getattr(module, name)(SimpleNamespace(inputs=inputs))
            return answer

        return call

    return find
