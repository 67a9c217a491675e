import hashlib
from pathlib import Path

import pytest

from forge_cli.errors import ForgeError
from forge_cli.ledger.artifacts import ArtifactFolder


def test_bytes_come_back_by_their_digest(tmp_path: Path) -> None:
    artifacts = ArtifactFolder(tmp_path / "a")
    digest = artifacts.put(b"notes")
    assert digest == "sha256:" + hashlib.sha256(b"notes").hexdigest()
    assert artifacts.get(digest) == b"notes"


def test_the_same_bytes_are_kept_once(tmp_path: Path) -> None:
    artifacts = ArtifactFolder(tmp_path)
    assert artifacts.put(b"notes") == artifacts.put(b"notes")
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1


def test_an_empty_file_left_in_the_place_is_replaced(tmp_path: Path) -> None:
    artifacts = ArtifactFolder(tmp_path)
    digest = artifacts.put(b"notes")
    only_file(tmp_path).write_bytes(b"")
    assert artifacts.put(b"notes") == digest
    assert artifacts.get(digest) == b"notes"


def test_changed_bytes_are_refused(tmp_path: Path) -> None:
    artifacts = ArtifactFolder(tmp_path)
    digest = artifacts.put(b"notes")
    only_file(tmp_path).write_bytes(b"Notes")
    with pytest.raises(ForgeError, match="was changed"):
        artifacts.get(digest)


def test_bytes_that_are_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(ForgeError, match=r"sha256:0000.* cannot be read: No such file"):
        ArtifactFolder(tmp_path).get("sha256:" + "0" * 64)


@pytest.mark.parametrize("digest", ["", "sha256:../../etc/passwd", "md5:00", "sha256:" + "F" * 64])
def test_what_is_no_digest_reaches_no_file(tmp_path: Path, digest: str) -> None:
    with pytest.raises(ForgeError, match="is not a digest"):
        ArtifactFolder(tmp_path).get(digest)


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a file where the folder should be")
    with pytest.raises(ForgeError, match="a part of the path is a file"):
        ArtifactFolder(tmp_path / "a").put(b"notes")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def only_file(folder: Path) -> Path:
    (path,) = (path for path in folder.rglob("*") if path.is_file())
    return path
