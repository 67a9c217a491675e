"""Files beside a manifest: read below its folder, once, and nowhere else."""

import os
from pathlib import Path

import pytest

from forge_cli.manifest.files import MAX_SIZE, Files, workspace


def test_a_file_below_the_folder_is_read(tmp_path: Path) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "a.json").write_bytes(b"{}")
    files = Files(tmp_path)
    assert files.read("schemas/a.json") == b"{}"
    assert files.problem("schemas/a.json") is None


def test_a_file_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one")
    files = Files(tmp_path)
    files.read("a")
    (tmp_path / "a").write_bytes(b"two")
    assert files.read("a") == b"one"


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("missing.json", "does not exist"),
        ("a/b", "does not exist"),
        ("", "is not the name of a file"),
        ("..", "lies outside the manifest's folder"),
        ("x/../../secret", "lies outside the manifest's folder"),
        (".", "is not a file"),
    ],
)
def test_what_cannot_be_read_says_why(tmp_path: Path, name: str, problem: str) -> None:
    (tmp_path / "a").write_bytes(b"")
    files = Files(tmp_path)
    assert files.read(name) is None
    assert files.problem(name) == problem


def test_an_absolute_path_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    problem = Files(tmp_path).problem(str(tmp_path / "a"))
    assert problem == "is an absolute path; files are named from the manifest's folder"


def test_a_link_that_leads_out_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "link").symlink_to(tmp_path / "secret")
    files = Files(tmp_path / "folder")
    assert files.problem("link") == "leads out of the manifest's folder by a link"


def test_a_named_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert Files(tmp_path).problem("pipe") == "is not a file"


def test_a_file_over_the_limit_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "large").open("wb") as file:
        file.truncate(MAX_SIZE + 1)
    assert Files(tmp_path).problem("large") == f"is larger than {MAX_SIZE} bytes"


def test_known_contents_need_no_folder() -> None:
    files = Files(None, {"a": b"known"})
    assert files.read("a") == b"known"
    assert files.problem("b") == "does not exist"


def test_an_included_file_may_lie_elsewhere_in_the_workspace(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    for folder in ("team", "service"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a").write_bytes(folder.encode())
    files = Files(tmp_path / "service")
    assert files.read("../team/a") is None
    assert Files(tmp_path / "service").include("../team/a") == b"team"
    assert Files(tmp_path / "service").include("../../a") == "lies outside the workspace"


def test_once_it_is_included_files_below_its_folder_are_read(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    for folder in ("team", "service"):
        (tmp_path / folder).mkdir()
    (tmp_path / "team" / "roles.yaml").write_bytes(b"")
    (tmp_path / "team" / "a").write_bytes(b"a")
    (tmp_path / "team" / "link").symlink_to(tmp_path / "service")
    files = Files(tmp_path / "service")
    files.include("../team/roles.yaml")
    assert files.read("../team/a") == b"a"
    assert files.problem("../team/../a") == "lies outside the included file's folder"
    assert files.problem("../team/link/x") == "leads out of the included file's folder by a link"
    assert files.problem("../a") == "lies outside the manifest's folder"


def test_the_workspace_begins_at_the_git_root_or_in_the_folder(tmp_path: Path) -> None:
    folder = str(tmp_path / "a" / "b")
    assert workspace(folder) == folder
    (tmp_path / ".git").mkdir()
    assert workspace(folder) == str(tmp_path)
