"""Files of a commit, read without checking it out."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from forge_cli.app.revisions import revision
from forge_cli.errors import ForgeError
from forge_cli.manifest.files import MAX_SIZE

Git = Callable[..., str]


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """Runs git in a new repository, by nobody and without anybody's settings."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)

    def run(*words: str) -> str:
        identity = ["-c", "user.name=n", "-c", "user.email=n@example.org"]
        return subprocess.run(
            ["git", "-C", tmp_path, *identity, *words], capture_output=True, text=True, check=True
        ).stdout

    run("init", "-q", "-b", "main")
    return run


@pytest.fixture
def committed(git: Git, tmp_path: Path) -> Path:
    """A repository with one commit, whose working tree has gone on."""
    folder = tmp_path / "team"
    folder.mkdir()
    (folder / "a.txt").write_text("then")
    (folder / "large").write_bytes(b"x" * (MAX_SIZE + 1))
    (folder / "link").symlink_to("a.txt")
    (folder / "out").symlink_to("/etc/passwd")
    (tmp_path / "é").write_text("é")
    git("add", ".")
    git("commit", "-qm", "first")
    (folder / "a.txt").write_text("now")
    return tmp_path


def test_a_file_is_as_it_was_at_the_commit(committed: Path) -> None:
    with revision("main", committed / "team") as commit:
        assert commit.top == committed
        assert commit.look("team/a.txt") == b"then"
        assert commit.look("é") == "é".encode()


def test_a_link_is_followed_within_the_commit_and_not_out_of_it(committed: Path) -> None:
    with revision("HEAD", committed) as commit:
        assert commit.look("team/link") == b"then"
        assert commit.look("team/out") == "leads out of the repository by a link"


def test_what_is_no_file_is_told_and_the_next_one_is_read(committed: Path) -> None:
    with revision("HEAD", committed) as commit:
        assert commit.look("team/none") == "does not exist"
        assert commit.look("team/a.txt/x") == "does not exist"
        assert commit.look("team") == "is not a file"
        assert commit.look("team/large") == f"is larger than {MAX_SIZE} bytes"
        assert commit.look("a\nb") == "cannot be asked for: its name holds a line break"
        assert commit.look("team/a.txt") == b"then"


def test_files_are_read_from_their_folder_and_not_above_it(committed: Path) -> None:
    with revision("HEAD", committed) as commit:
        files = commit.beside("team")
        assert files.read("a.txt") == b"then"
        assert files.problem("../é") == "lies outside the manifest's folder"


@pytest.mark.parametrize("name", ["nowhere", "--help", "", "HEAD:team"])
def test_what_is_no_commit_is_refused(name: str, committed: Path) -> None:
    with pytest.raises(ForgeError, match="is no commit of"), revision(name, committed):
        pass


def test_outside_of_a_repository_it_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ForgeError, match="not a git repository"), revision("HEAD", tmp_path):
        pass
