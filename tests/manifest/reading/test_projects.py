"""Which projects could say how the manifests of a folder are checked."""

from pathlib import Path

import pytest

from forge_cli.manifest.reading.projects import projects


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(*names: str, text: str = "") -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)


def test_projects_are_looked_for_up_to_the_git_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("pyproject.toml", text="[tool.forge]\n")
    write("a/.git/HEAD")
    write("a/pyproject.toml", "a/b/pyproject.toml", "a/b/c/pyproject.toml", text="[tool.forge]\n")
    write("a/b/pyproject.toml", text="[tool.other]\n")
    monkeypatch.chdir(tmp_path / "a" / "b" / "c")
    assert [path for path, _ in projects()] == ["pyproject.toml", "../../pyproject.toml"]


def test_outside_of_git_projects_are_looked_for_up_to_the_top(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("pyproject.toml", text="[tool.forge]\n")
    write("a/b/c")
    monkeypatch.chdir(tmp_path / "a" / "b")
    assert next(projects()) == ("../../pyproject.toml", b"[tool.forge]\n")


def test_a_folder_that_was_removed_is_in_no_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert list(projects()) == []
