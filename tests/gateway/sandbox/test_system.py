"""What of the machine programs are given, and what of it is none of their business."""

import os
from pathlib import Path

import pytest

from forge_cli.gateway.sandbox.system import system_paths


def test_where_forge_was_started_is_not_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = system_paths(f":.:{os.environ['PATH']}", "", "/home/ada")
    assert not any(tmp_path.is_relative_to(path) for path in found)


def test_of_a_program_its_installation_is_given(tmp_path: Path) -> None:
    for name in ("bin", "lib", "share", "private"):
        (tmp_path / "opt" / name).mkdir(parents=True)
    (tmp_path / "opt" / "bin" / "tool").touch()
    found = system_paths("/usr/bin", str(tmp_path / "opt" / "bin" / "tool"), "/home/ada")
    inner = {path for path in found if path.startswith(str(tmp_path))}
    assert inner == {str(tmp_path / "opt" / name) for name in ("bin", "lib", "share")}


def test_of_a_persons_own_programs_no_data_is_given(tmp_path: Path) -> None:
    for name in ("bin", "lib", "share"):
        (tmp_path / ".local" / name).mkdir(parents=True)
    found = system_paths(str(tmp_path / ".local" / "bin"), "", str(tmp_path))
    inner = {path for path in found if path.startswith(str(tmp_path))}
    assert inner == {str(tmp_path / ".local" / name) for name in ("bin", "lib")}


def test_a_home_that_is_on_the_path_is_not_given(tmp_path: Path) -> None:
    found = system_paths(f"{tmp_path}:{tmp_path.parent}", "", str(tmp_path))
    assert not any(tmp_path.is_relative_to(path) for path in found)
