"""A chart as rules that only let things be reached."""

from pathlib import Path

import pytest

from forge_cli.gateway import folders
from forge_cli.gateway.folders import opened
from forge_cli.gateway.sandbox.chart import Wanted, chart
from forge_cli.gateway.sandbox.listing import DEVICES, of_system, of_workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    for name in ("home/src/.env", "home/src/a.py", "home/src/deep/b.py", "home/README", "lib/x"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path / "home"


def test_a_folder_of_which_something_is_hidden_is_given_name_by_name(workspace: Path) -> None:
    spots = chart(workspace, Wanted(reads=("files:src/**",)))
    assert of_workspace(workspace, spots) == [
        ("", "list"),
        ("src", "list"),
        ("src/a.py", "read"),
        ("src/deep", "read"),
    ]


def test_a_folder_that_goes_while_it_is_listed_has_nothing_in_it(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def moved(home: Path, path: str) -> int:
        if path == "src":
            (workspace / "src").rename(workspace.parent / "gone")
        return opened(home, path)

    spots = chart(workspace, Wanted(reads=("files:src/**",)))
    monkeypatch.setattr(folders, "opened", moved)
    assert of_workspace(workspace, spots) == [("", "list")]


def test_what_lies_apart_in_a_folder_of_the_system_is_left_out(workspace: Path) -> None:
    above = str(workspace.parent)
    (workspace.parent / "link").symlink_to(workspace)
    rules = list(of_system([above, "/usr", str(workspace)], "/calls", (str(workspace),)))
    assert rules == [
        (above, "list"),
        (f"{above}/lib", "read"),
        ("/usr", "read"),
        ("/proc", "read"),
        ("/calls", "write"),
        *((device, "device") for device in DEVICES),
    ]


def test_a_folder_that_cannot_be_listed_is_an_error(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(home: Path, path: str) -> int:
        raise PermissionError

    spots = chart(workspace, Wanted(reads=("files:src/**",)))
    monkeypatch.setattr(folders, "opened", refused)
    with pytest.raises(PermissionError):
        of_workspace(workspace, spots)
