"""Runs of a workspace that was copied: each copy has its own manifest and evidence."""

import shutil
from pathlib import Path

import pytest

from forge_cli.__main__ import main

MANIFEST = """\
forge: 1
name: two
work_items:
  one: {run: [echo, hello], capabilities: [], approval: required}
"""


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The copy of a workspace `first`, beside it, with a run that awaits an approval."""
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    (first / "m.forge.yaml").write_text(MANIFEST, "utf-8")
    monkeypatch.chdir(first)
    assert main(["run", "-q", "m.forge.yaml", "--run-id", "r-1"]) == 4
    shutil.copytree(first, second, symlinks=True)
    monkeypatch.chdir(second)
    return second


def evidence(workspace: Path) -> dict[str, bytes]:
    folder = workspace / "evidence" / "two" / "r-1"
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_copy_goes_on_in_itself(copy: Path) -> None:
    first = copy.parent / "first"
    before = evidence(first)
    (first / "m.forge.yaml").write_text("forge: 1", "utf-8")
    assert main(["resume", "-q", "--deny", "one"]) == 1
    assert evidence(first) == before
    events = copy / "evidence" / "two" / "r-1" / "events.jsonl"
    assert b"item_decided" in events.read_bytes()


def test_a_copy_needs_nothing_of_the_first(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.rmtree(copy.parent / "first")
    assert main(["verify"]) == 0
    assert main(["resume", "-q", "--deny", "one"]) == 1
    assert main(["show"]) == 0
    told = capsys.readouterr().out
    assert "evidence  evidence/two/r-1" in told
    assert str(copy.parent / "first") not in told
