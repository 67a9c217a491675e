"""What a grant lets its holder read: by scope and action, and through no link."""

import fcntl
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from forge_cli.gateway.files import (
    LARGEST,
    DeniedError,
    GrantedFiles,
    UnreadableError,
)
from forge_cli.gateway.writing import UNFINISHED, UnwritableError
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


def test_folders_that_are_asked_for_as_files_take_no_descriptors(
    writing: GrantedFiles, tmp_path: Path
) -> None:
    (tmp_path / "workspace" / "src" / f"{UNFINISHED}0").mkdir()
    before = len(list(Path("/proc/self/fd").iterdir()))
    for path in ("src/inner", "src"):
        with pytest.raises(UnreadableError, match="Is a directory"):
            writing.read(path)
    with pytest.raises(UnwritableError, match="Is a directory"):
        writing.edit("src/inner", lambda data: data)
    writing.write("src/b.py", b"new")
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_nobody_waits_at_a_pipe(files: GrantedFiles, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "workspace" / "src" / "pipe")
    with pytest.raises(UnreadableError, match="no regular file"):
        files.read("src/pipe")


def test_a_walk_names_the_files_of_the_scope_and_enters_no_link(files: GrantedFiles) -> None:
    assert list(files.walk()) == ["src/b.py", "src/inner/a.py"]


def test_a_walk_that_cannot_even_begin_is_told(files: GrantedFiles) -> None:
    with pytest.raises(UnreadableError, match="'src/missing' cannot be read: No such file"):
        list(files.walk("src/missing"))


def test_a_walk_passes_over_a_folder_that_goes_meanwhile(
    files: GrantedFiles, tmp_path: Path
) -> None:
    walk = files.walk()
    assert next(walk) == "src/b.py"
    (tmp_path / "workspace/src/inner").rename(tmp_path / "gone")
    assert list(walk) == []


def test_a_name_that_no_system_has_is_none(writing: GrantedFiles) -> None:
    for use in (
        writing.read,
        lambda path: writing.write(path, b""),
        lambda path: writing.edit(path, bytes.upper),
    ):
        with pytest.raises((DeniedError, UnreadableError, UnwritableError)):
            use("src/\ud800")
    with pytest.raises(UnreadableError, match=r"cannot be read$"):
        list(writing.walk("src/\ud800"))


def test_what_is_no_file_or_too_large_is_not_edited(writing: GrantedFiles, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "workspace/src/pipe")
    with (tmp_path / "workspace/src/large").open("wb") as file:
        file.truncate(LARGEST + 1)
    for name in ("pipe", "large"):
        with pytest.raises(UnwritableError, match="no regular file of at most 16777216 bytes"):
            writing.edit(f"src/{name}", bytes.upper)
    with pytest.raises(UnreadableError, match="has 16777217 bytes, at most 16777216 are read"):
        writing.read("src/large")


def test_a_file_is_written_by_the_name_that_it_has(
    writing: GrantedFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "listdir", lambda folder: ["B.py"])  # as a case-blind disk has it
    with pytest.raises(UnwritableError, match="written otherwise here"):
        writing.write("src/b.py", b"x")


def test_without_the_action_nothing_is_read(tmp_path: Path) -> None:
    with pytest.raises(DeniedError, match="reading files is denied"):
        GrantedFiles(tmp_path, granted("file-write")).read("src/b.py")


@pytest.fixture
def writing(files: GrantedFiles, tmp_path: Path) -> GrantedFiles:
    grant = Grant(
        actions=frozenset({"file-read", "file-write"}),
        scope=("files:**", "files:.forge/**"),
        writes=("files:src/**", "files:evidence/**", "files:.forge/**", "files:m.yaml"),
    )
    return GrantedFiles(tmp_path / "workspace", grant, (".forge", "evidence", "m.yaml"))


def test_a_file_is_made_with_the_folders_above_it(writing: GrantedFiles, tmp_path: Path) -> None:
    writing.write("src/new/deep/c.py", b"c")
    assert (tmp_path / "workspace/src/new/deep/c.py").read_bytes() == b"c"


def test_a_file_that_is_replaced_keeps_its_mode(writing: GrantedFiles, tmp_path: Path) -> None:
    file = tmp_path / "workspace/src/b.py"
    file.chmod(0o750)
    writing.write("src/b.py", b"new")
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"new", 0o750)
    assert [path.name for path in file.parent.iterdir() if path.name.startswith(".")] == []


def test_what_is_not_in_its_writes_is_not_written(writing: GrantedFiles, tmp_path: Path) -> None:
    with pytest.raises(DeniedError, match="write 'notes' is denied: not in its writes: files:src"):
        writing.write("notes", b"x")
    assert (tmp_path / "workspace/notes").read_text() == "n"


@pytest.mark.parametrize("path", ["evidence/run/plan.json", ".forge/runs/x", "m.yaml"])
def test_what_is_forges_own_is_not_written_even_if_a_scope_names_it(
    writing: GrantedFiles, path: str
) -> None:
    with pytest.raises(DeniedError, match="written by nobody else"):
        writing.write(path, b"x")


@pytest.mark.parametrize("twin", ["EVIDENCE/x", "Evidence/x", "ｅvidence/x"])
def test_what_some_systems_take_for_forges_own_is_not_written(tmp_path: Path, twin: str) -> None:
    grant = Grant(actions=frozenset({"file-write"}), writes=("files:**",))
    with pytest.raises(DeniedError, match="written by nobody else"):
        GrantedFiles(tmp_path, grant, ("evidence",)).write(twin, b"x")


def test_a_hard_link_is_not_written(writing: GrantedFiles, tmp_path: Path) -> None:
    (tmp_path / "workspace/src/hard").hardlink_to(tmp_path / "outside")
    with pytest.raises(UnwritableError, match="1 other names hold the same file"):
        writing.write("src/hard", b"x")
    with pytest.raises(UnwritableError, match="1 other names hold the same file"):
        writing.edit("src/hard", lambda data: data * 2)
    assert (tmp_path / "outside").read_text() == "secret"


@pytest.mark.parametrize("path", ["src/link.py", "src/folder/outside", "src/inner"])
def test_nothing_is_written_through_a_link(
    writing: GrantedFiles, tmp_path: Path, path: str
) -> None:
    with pytest.raises(UnwritableError):
        writing.write(path, b"x")
    assert (tmp_path / "outside").read_text() == "secret"


def test_without_the_action_nothing_is_written(files: GrantedFiles) -> None:
    with pytest.raises(DeniedError, match="writing files is denied"):
        files.write("src/b.py", b"x")


def test_too_much_is_not_written(writing: GrantedFiles) -> None:
    with pytest.raises(UnwritableError, match="at most 16777216"):
        writing.write("src/b.py", bytes(LARGEST + 1))


def test_a_file_is_edited_as_a_whole(writing: GrantedFiles) -> None:
    writing.edit("src/b.py", lambda data: data * 2)
    assert writing.read("src/b.py") == b"bb"


def test_an_edit_sees_what_it_replaces(writing: GrantedFiles, tmp_path: Path) -> None:
    def change(data: bytes) -> bytes:
        (tmp_path / "workspace/src/b.py").write_text("of somebody else")
        return data

    with pytest.raises(UnwritableError, match="changed by somebody else"):
        writing.edit("src/b.py", change)
    assert writing.read("src/b.py") == b"of somebody else"


def test_edits_of_one_file_at_once_are_all_made(writing: GrantedFiles) -> None:
    with ThreadPoolExecutor(8) as threads:
        edits = [
            threads.submit(writing.edit, "src/b.py", lambda data: data + b"x") for _ in "1" * 40
        ]
    assert [edit.exception() for edit in edits if edit.exception()] == []
    assert writing.read("src/b.py") == b"b" + b"x" * 40


def test_a_change_at_the_very_last_is_seen(
    writing: GrantedFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def synced_late(descriptor: int) -> None:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            (tmp_path / "workspace/src/b.py").write_text("of somebody else")

    monkeypatch.setattr(os, "fsync", synced_late)
    with pytest.raises(UnwritableError, match="changed by somebody else"):
        writing.edit("src/b.py", lambda data: data * 2)
    assert writing.read("src/b.py") == b"of somebody else"


@pytest.mark.parametrize(("held", "left"), [(False, []), (True, [f"{UNFINISHED}0"])])
def test_what_a_killed_writer_left_is_removed_by_the_next(
    writing: GrantedFiles, tmp_path: Path, held: bool, left: list[str]
) -> None:
    folder = tmp_path / "workspace/src"
    with (folder / f"{UNFINISHED}0").open("w") as file:
        if held:
            fcntl.flock(file, fcntl.LOCK_EX)
        writing.write("src/b.py", b"new")
    assert [path.name for path in folder.iterdir() if path.name.startswith(UNFINISHED)] == left


def test_folders_are_synced_in_which_a_name_is_new(
    writing: GrantedFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = []
    monkeypatch.setattr(
        os, "fsync", lambda each: synced.append(Path(f"/proc/self/fd/{each}").readlink())
    )
    writing.write("src/new/c.py", b"c")
    assert (synced[0], synced[-1]) == (
        tmp_path / "workspace/src",
        tmp_path / "workspace/src/new",
    )


@pytest.mark.parametrize(
    ("path", "factor", "message"),
    [("src/b.py", LARGEST + 1, "at most 16777216"), ("src/missing", 1, "No such file")],
)
def test_an_edit_that_cannot_be_made_changes_nothing(
    writing: GrantedFiles, path: str, factor: int, message: str
) -> None:
    with pytest.raises(UnwritableError, match=message):
        writing.edit(path, lambda data: data * factor)
    assert writing.read("src/b.py") == b"b"
