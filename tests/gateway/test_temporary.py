"""Temporary folders are private, and what killed calls left of them is taken away."""

import stat
import tempfile
from pathlib import Path

import pytest

from forge_cli.errors import ForgeError
from forge_cli.gateway.temporary import remove_folders, temporary_folder


def test_a_folder_is_private_and_its_name_begins_with_the_mark(tmp_path: Path) -> None:
    made = Path(temporary_folder("run-1-", str(tmp_path)))
    assert (made.parent, made.name[:6]) == (tmp_path, "run-1-")
    assert stat.S_IMODE(made.stat().st_mode) == 0o700


def test_where_none_can_be_made_the_way_out_is_told(tmp_path: Path) -> None:
    with pytest.raises(ForgeError, match="No such file or directory; set TMPDIR to one with free"):
        temporary_folder("run-1-", str(tmp_path / "missing"))


def test_only_folders_with_the_mark_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left = Path(temporary_folder("run-1-"))
    (left / "file").touch()
    other = Path(temporary_folder("run-2-"))
    (tmp_path / "run-1-file").touch()
    (tmp_path / "run-1-link").symlink_to(other)
    remove_folders("run-1-")
    assert not left.exists()
    assert other.is_dir()
    assert (tmp_path / "run-1-file").exists()
    assert (tmp_path / "run-1-link").is_symlink()
