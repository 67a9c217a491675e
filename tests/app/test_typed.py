"""Paths and commands as they are typed in the current folder."""

from pathlib import Path

import pytest

from forge_cli.app.typed import again, as_typed, where


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with runs, seen from a folder beside it."""
    home = tmp_path / "home"
    (home / ".forge" / "runs").mkdir(parents=True)
    (home / "deep").mkdir()
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return home


def test_a_path_is_named_from_the_current_folder(elsewhere: Path) -> None:
    assert as_typed(elsewhere / "a") == "../home/a"
    assert as_typed(None) == ""


def test_a_run_elsewhere_needs_its_workspace(elsewhere: Path) -> None:
    assert where(elsewhere) == " --workspace ../home"


def test_a_run_at_or_above_the_current_folder_needs_nothing(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(elsewhere / "deep")
    assert where(elsewhere) == ""


def test_a_new_run_names_the_workspace_only_where_it_is_another(elsewhere: Path) -> None:
    manifest = elsewhere / "a b.forge.yaml"
    assert again(manifest, elsewhere) == "forge run '../home/a b.forge.yaml'"
    assert again(elsewhere / "deep" / "x.yaml", elsewhere) == (
        "forge run ../home/deep/x.yaml --workspace ../home"
    )
    assert again(None, elsewhere) == ""
