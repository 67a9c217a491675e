"""What a grant lets its holder read: by scope and action, and through no link."""

import os
from pathlib import Path

import pytest

from forge_cli.gateway.files import DeniedError, GrantedFiles, UnreadableError
from forge_cli.multiagent.grants import Grant


@pytest.fixture
def files(tmp_path: Path) -> GrantedFiles:
    (tmp_path / "outside").write_text("secret")
    workspace = tmp_path / "workspace"
    (workspace / "src" / "inner").mkdir(parents=True)
    (workspace / "src" / "inner" / "a.py").write_text("a")
    (workspace / "src" / "b.py").write_text("b")
    (workspace / "notes").write_text("n")
    (workspace / "src" / "link.py").symlink_to(tmp_path / "outside")
    (workspace / "src" / "folder").symlink_to(tmp_path)
    return GrantedFiles(workspace, granted("file-read"))


def granted(*actions: str) -> Grant:
    return Grant(actions=frozenset(actions), scope=("files:src/**",))


def test_a_file_of_the_scope_is_read(files: GrantedFiles) -> None:
    assert files.read("src/inner/a.py") == b"a"


@pytest.mark.parametrize("path", ["notes", "src", "", "."])
def test_what_the_scope_does_not_hold_is_denied(files: GrantedFiles, path: str) -> None:
    with pytest.raises(DeniedError, match=r"its scope is files:src/\*\*"):
        files.read(path)


@pytest.mark.parametrize("path", ["src/link.py", "src/folder/outside"])
def test_no_link_is_followed(files: GrantedFiles, path: str) -> None:
    with pytest.raises(UnreadableError, match="cannot be read"):
        files.read(path)


@pytest.mark.parametrize("path", ["src/../notes", "/etc/passwd", "src//b.py", "src/a\0b"])
def test_what_is_no_path_from_the_workspace_is_not_tried(files: GrantedFiles, path: str) -> None:
    with pytest.raises(UnreadableError, match="no path from the workspace"):
        files.read(path)


def test_a_folder_is_no_file(files: GrantedFiles) -> None:
    with pytest.raises(UnreadableError, match="Is a directory"):
        files.read("src/inner")


def test_nobody_waits_at_a_pipe(files: GrantedFiles, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "workspace" / "src" / "pipe")
    with pytest.raises(UnreadableError, match="no regular file"):
        files.read("src/pipe")


def test_a_walk_names_the_files_of_the_scope_and_enters_no_link(files: GrantedFiles) -> None:
    assert list(files.walk()) == ["src/b.py", "src/inner/a.py"]


def test_without_the_action_nothing_is_read(tmp_path: Path) -> None:
    with pytest.raises(DeniedError, match="reading files is denied"):
        GrantedFiles(tmp_path, granted("file-write")).read("src/b.py")
