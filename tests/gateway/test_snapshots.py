"""Restoring: exactly what is below the scopes is as it was, and nothing else is touched."""

import hashlib
import os
import resource
import socket
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forge_cli.gateway.putting_back import PuttingBack
from forge_cli.gateway.snapshots import PACK, SnapshotError, Snapshots
from forge_cli.gateway.survey import survey
from forge_cli.ledger.artifacts import ArtifactFolder

Tree = dict[str, tuple[str, int, bytes]]


def tree(folder: Path) -> Tree:
    """Every path below a folder: its kind, mode, and content or target."""
    found: Tree = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            seen = ("link", 0, os.fsencode(path.readlink()))
        elif path.is_dir():
            seen = ("folder", stat.S_IMODE(status.st_mode), b"")
        else:
            seen = ("file", stat.S_IMODE(status.st_mode), path.read_bytes())
        found[str(path.relative_to(folder))] = seen
    return found


def write(path: Path, content: bytes = b"x", mode: int = 0o644) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(mode)
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A workspace with a few things in it."""
    home = tmp_path / "home"
    write(home / "src/a.py", b"one\n")
    write(home / "src/deep/run.sh", b"#!/bin/sh\n", 0o755)
    (home / "src/empty").mkdir()
    (home / "src/to-a").symlink_to("a.py")
    write(home / "notes.txt", b"a person's\n")
    return home


@pytest.fixture
def snapshots(home: Path, tmp_path: Path) -> Snapshots:
    return Snapshots(home, ArtifactFolder(tmp_path / "kept"), [".forge", "evidence", "src/m.yaml"])


Undo = Callable[[], int]
Powerless = Callable[[Callable[[], Any]], Any]


def refusal(use: Callable[[], object]) -> str:
    """What is said against it."""
    try:
        use()
    except SnapshotError as fault:
        return str(fault)
    return ""


@pytest.fixture
def undo(snapshots: Snapshots) -> Undo:
    """Restores what was below `src` when the test began."""
    kept = snapshots.keep(["files:src/**"], lambda: False)
    assert kept.files == 2
    return lambda: snapshots.restore(kept.snapshot)


def changes(home: Path) -> None:
    """One of each kind of change below `src`."""
    (home / "src/a.py").write_text("two\n")
    (home / "src/deep/run.sh").chmod(0o600)
    (home / "src/empty").rmdir()
    (home / "src/to-a").unlink()
    (home / "src/to-a").write_text("no link")
    write(home / "src/new/er/b.py")
    (home / "src/new/out").symlink_to("/etc")


def test_everything_below_the_scopes_is_as_it_was(home: Path, undo: Undo) -> None:
    before = tree(home)
    changes(home)
    assert undo() == 8
    assert tree(home) == before


def test_what_is_as_it_was_is_not_touched(home: Path, undo: Undo) -> None:
    before = {path: (home / path).lstat().st_ino for path in tree(home)}
    (home / "src/a.py").touch()
    assert undo() == 0
    assert {path: (home / path).lstat().st_ino for path in tree(home)} == before


def test_nothing_beside_the_scopes_is_touched(home: Path, undo: Undo) -> None:
    changes(home)
    (home / "notes.txt").write_text("changed by a person\n")
    write(home / "src/.env", b"hidden\n")
    write(home / "more/new.txt")
    undo()
    assert (home / "notes.txt").read_text() == "changed by a person\n"
    assert (home / "src/.env").read_text() == "hidden\n"
    assert (home / "more/new.txt").exists()


def test_a_restore_that_was_cut_off_is_made_again(home: Path, undo: Undo) -> None:
    before = tree(home)
    changes(home)
    undo()
    (home / "src/a.py").write_text("half")
    assert undo() == 1
    assert tree(home) == before


def test_a_folder_that_was_not_there_goes_with_what_was_made_in_it(
    home: Path, snapshots: Snapshots
) -> None:
    before = tree(home)
    kept = snapshots.keep(["files:out/deep/report.txt"], lambda: False)
    write(home / "out/deep/report.txt")
    snapshots.restore(kept.snapshot)
    assert tree(home) == before


def test_a_folder_that_holds_more_than_was_made_stays(home: Path, snapshots: Snapshots) -> None:
    kept = snapshots.keep(["files:out/report.txt"], lambda: False)
    write(home / "out/report.txt")
    write(home / "out/other.txt")
    snapshots.restore(kept.snapshot)
    assert sorted(tree(home / "out")) == ["other.txt"]


def test_folders_that_are_gone_are_made_again(home: Path, snapshots: Snapshots) -> None:
    write(home / "docs/guide/one.md")
    before = tree(home)
    kept = snapshots.keep(["files:docs/guide/*.md"], lambda: False)
    (home / "docs/guide/one.md").unlink()
    (home / "docs/guide").rmdir()
    (home / "docs").rmdir()
    snapshots.restore(kept.snapshot)
    assert tree(home) == before


def test_no_link_is_followed_out_of_the_workspace(
    home: Path, tmp_path: Path, snapshots: Snapshots
) -> None:
    secret = write(tmp_path / "elsewhere/a.py", b"not ours")
    (home / "src/linked").symlink_to(tmp_path / "elsewhere")
    kept = snapshots.keep(["files:src/**"], lambda: False)
    secret.write_text("changed by others")
    (home / "src/linked/b.py").write_text("made through the link")
    assert snapshots.restore(kept.snapshot) == 0
    assert secret.read_text() == "changed by others"
    assert (tmp_path / "elsewhere/b.py").exists()


def test_a_folder_that_became_a_link_is_put_back_without_following_it(
    home: Path, tmp_path: Path, undo: Undo
) -> None:
    before = tree(home)
    elsewhere = write(tmp_path / "elsewhere/run.sh", b"not ours", 0o640)
    (home / "src/deep/run.sh").unlink()
    (home / "src/deep").rmdir()
    (home / "src/deep").symlink_to(elsewhere.parent)
    undo()
    assert tree(home) == before
    assert elsewhere.read_bytes() == b"not ours"


def test_a_link_in_the_place_of_the_way_is_told_and_not_followed(
    home: Path, tmp_path: Path, undo: Undo
) -> None:
    (home / "src").rename(tmp_path / "moved")
    (home / "src").symlink_to(tmp_path / "moved")
    (tmp_path / "moved/a.py").write_text("elsewhere now")
    with pytest.raises(
        SnapshotError, match=r"'src/a\.py' cannot be put back: a folder that it was"
    ):
        undo()
    assert (tmp_path / "moved/a.py").read_text() == "elsewhere now"


def test_another_name_of_a_file_keeps_what_was_written(
    home: Path, tmp_path: Path, undo: Undo
) -> None:
    other = tmp_path / "other-name"
    other.hardlink_to(home / "src/a.py")
    (home / "src/a.py").write_text("both\n")
    undo()
    assert (home / "src/a.py").read_text() == "one\n"
    assert other.read_text() == "both\n"


@pytest.mark.parametrize("name", [b"\xff\xfe", b"a\nb", b"-rf", b"\xe2\x80\xae", b"n" * 255, b"~"])
def test_names_that_mislead_are_names_like_others(home: Path, undo: Undo, name: bytes) -> None:
    before = tree(home)
    write(home / "src" / os.fsdecode(name) / "in")
    write(home / "src/deep" / os.fsdecode(name))
    undo()
    assert tree(home) == before


def test_a_kept_file_with_such_a_name_comes_back(home: Path, snapshots: Snapshots) -> None:
    path = write(home / "src" / os.fsdecode(b"\xff"), b"kept")
    kept = snapshots.keep(["files:src/**"], lambda: False)
    path.unlink()
    snapshots.restore(kept.snapshot)
    assert path.read_bytes() == b"kept"


def test_a_tree_deeper_than_files_may_be_open_is_taken_away(home: Path, undo: Undo) -> None:
    before = tree(home)
    folder = os.open(home / "src", os.O_RDONLY)
    for _ in range(300):
        os.mkdir("d", dir_fd=folder)
        inner = os.open("d", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(int(each.name) for each in Path("/proc/self/fd").iterdir())
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 90, limits[1]))
    try:
        assert undo() == 300
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert tree(home) == before


def test_modes_that_let_nobody_in_stop_nothing(home: Path, undo: Undo) -> None:
    before = tree(home)
    write(home / "src/closed/b.py")
    (home / "src/a.py").chmod(0)
    (home / "src/deep").chmod(0)
    (home / "src/closed").chmod(0)
    undo()
    assert tree(home) == before


def test_large_files_are_kept_in_parts(home: Path, snapshots: Snapshots) -> None:
    content = os.urandom(2**20) * (2 * PACK // 2**20) + b"end"
    path = write(home / "src/large.bin", content)
    kept = snapshots.keep(["files:src/**"], lambda: False)
    path.write_bytes(b"")
    snapshots.restore(kept.snapshot)
    assert path.read_bytes() == content


def test_a_pipe_does_not_hold_up_and_is_taken_away_if_new(home: Path, undo: Undo) -> None:
    os.mkfifo(home / "src/pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{home}/src/socket")
    assert undo() == 2
    assert not (home / "src/pipe").exists()


def test_a_pipe_that_is_gone_is_told(home: Path, snapshots: Snapshots) -> None:
    os.mkfifo(home / "src/pipe")
    kept = snapshots.keep(["files:src/**"], lambda: False)
    assert snapshots.restore(kept.snapshot) == 0
    (home / "src/pipe").unlink()
    (home / "src/a.py").unlink()
    with pytest.raises(SnapshotError, match="'src/pipe' was a pipe, socket or device, and is gone"):
        snapshots.restore(kept.snapshot)
    assert (home / "src/a.py").exists(), "all the rest is put back"


def test_what_forge_keeps_for_itself_is_neither_kept_nor_touched(
    home: Path, snapshots: Snapshots
) -> None:
    write(home / "src/m.yaml", b"forge: 1\n")
    kept = snapshots.keep(["files:**", "files:.forge/**"], lambda: False)
    (home / "src/m.yaml").write_text("edited")
    write(home / "evidence/run.json")
    write(home / ".forge/ledger.db")
    assert snapshots.restore(kept.snapshot) == 0
    assert (home / "src/m.yaml").read_text() == "edited"
    assert (home / "evidence/run.json").exists()


def test_keeping_is_given_up_when_nobody_waits_for_it(snapshots: Snapshots) -> None:
    with pytest.raises(SnapshotError, match="stopped"):
        snapshots.keep(["files:src/**"], lambda: True)


def test_what_cannot_be_read_is_not_begun(
    home: Path, snapshots: Snapshots, powerless: Powerless
) -> None:
    (home / "src/a.py").chmod(0)
    told = powerless(lambda: refusal(lambda: snapshots.keep(["files:src/**"], lambda: False)))
    assert told.endswith("could be restored: 'a.py': Permission denied")


def test_what_may_not_be_changed_is_told_and_the_rest_is_put_back(
    home: Path, snapshots: Snapshots, powerless: Powerless
) -> None:
    kept = snapshots.keep(["files:src/a.py", "files:src/new/**", "files:notes.txt"], lambda: False)
    (home / "src/a.py").unlink()
    write(home / "src/new/b.py")
    (home / "notes.txt").unlink()
    (home / "src").chmod(0o555)
    told = powerless(lambda: refusal(lambda: snapshots.restore(kept.snapshot)))
    assert told == "'src/new' cannot be put back: Permission denied; and 1 more"
    assert (home / "notes.txt").exists()


def test_where_nobody_may_look_nothing_is_put_back(
    home: Path, snapshots: Snapshots, powerless: Powerless
) -> None:
    kept = snapshots.keep(["files:src/a.py", "files:notes.txt"], lambda: False)
    (home / "notes.txt").unlink()
    (home / "src").chmod(0)
    told = powerless(lambda: refusal(lambda: snapshots.restore(kept.snapshot)))
    assert told == "'src' cannot be put back: Permission denied"
    assert not (home / "notes.txt").exists()


def test_a_file_that_only_others_may_read_is_not_as_it_was(
    home: Path, powerless: Powerless
) -> None:
    write(home / "src/theirs", b"x", mode=0)
    then: dict[str, list[Any]] = {"src": ["way", 0o755]}
    then["src/theirs"] = ["file", 0, hashlib.sha256(b"x").hexdigest(), [[0, 0, 1]]]

    def put_back() -> list[str]:
        put = PuttingBack(home, then, lambda parts: iter([b"x"]))
        put.all(survey(home, ["files:src/theirs"], ()))
        return sorted(put.changed)

    assert powerless(put_back) == ["src/theirs"]


def test_a_snapshot_that_is_gone_is_told(snapshots: Snapshots) -> None:
    with pytest.raises(SnapshotError, match="what was kept is gone"):
        snapshots.restore("sha256:" + "0" * 64)


def test_what_goes_while_it_is_looked_at_is_not_there(home: Path) -> None:
    found = survey(home, ["files:**"], ())
    assert next(found).path == "notes.txt"
    (home / "src").rename(home.parent / "gone")
    assert [each.path for each in found] == []
    found = survey(home.parent / "gone", ["files:**"], ())
    assert [next(found).path for _ in "123"] == ["a.py", "deep", "empty"]
    (home.parent / "gone/deep").rename(home.parent / "deep")
    assert [each.path for each in found] == ["to-a"]
