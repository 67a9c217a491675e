"""The names of files as a CI service knows them."""

from pathlib import Path

import pytest

from forge_cli.cli.spots import checkout, rooted


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout in which a step works in a folder of its own."""
    (tmp_path / "work" / "in").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work" / "in")
    return tmp_path


PATHS = {
    "a.yaml": "in/a.yaml",
    "./a.yaml": "in/a.yaml",
    "../a.yaml": "a.yaml",
    "../../a.yaml": "{folder}/a.yaml",
    "/nowhere/a.yaml": "/nowhere/a.yaml",
    "<stdin>": "in/<stdin>",
}


@pytest.mark.parametrize(("path", "expected"), PATHS.items())
def test_a_path_counts_from_the_root(path: str, expected: str, folder: Path) -> None:
    assert rooted(path, str(folder / "work")) == expected.format(folder=folder)


def test_a_link_to_the_root_is_the_root(folder: Path) -> None:
    (folder / "link").symlink_to("work")
    assert rooted("a.yaml", str(folder / "link")) == "in/a.yaml"


def test_a_file_that_is_a_link_keeps_its_own_name(folder: Path) -> None:
    Path("a.yaml").symlink_to("/nowhere")
    assert rooted("a.yaml", str(folder / "work")) == "in/a.yaml"


def test_everything_is_below_the_top() -> None:
    assert rooted("/nowhere/a.yaml", "/") == "nowhere/a.yaml"


def test_the_root_is_what_the_service_says() -> None:
    assert checkout({"GITHUB_WORKSPACE": "/a"}) == "/a"
    assert checkout({"CI_PROJECT_DIR": "/b"}) == "/b"
    assert checkout({}) == "."
