"""A ledger that cannot be used: a sentence, exit 2, and nothing is overwritten."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from forge_cli.__main__ import main
from forge_cli.ledger import schema

COMMANDS = (["resume"], ["resume", "--take-over"], ["runs"], ["show"], ["verify"])
HELLO = "forge: 1\nwork_items: {a: {run: [echo, hello], capabilities: []}}\n"


def _altered(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()


def _of_another_run(path: Path) -> None:
    assert main(["run", "m.forge.yaml", "--run-id", "other", "--workspace", "."]) == 0
    shutil.copyfile(path.parents[1] / "other" / "ledger.db", path)
    shutil.rmtree(path.parents[1] / "other")


FAULTS: dict[str, Callable[[Path], object]] = {
    "is damaged: it is empty": lambda path: os.truncate(path, 0),
    "of its header only 50 bytes": lambda path: os.truncate(path, 50),
    "its pages are not whole: it is truncated": lambda path: os.truncate(path, 4096),
    "it has no SQLite header": lambda path: path.write_bytes(b"something else" * 999),
    "its application id is 7, not": lambda path: _altered(path, "PRAGMA application_id = 7"),
    "has version 99, and this forge": lambda path: _altered(path, "PRAGMA user_version = 99"),
    "is damaged: no such table: meta": lambda path: _altered(path, "DROP TABLE meta"),
    "is that of run 'other', and lies": _of_another_run,
}


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The ledger of the one run that the working folder has."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.forge.yaml").write_text(HELLO)
    assert main(["run", "m.forge.yaml", "--run-id", "r", "--workspace", "."]) == 0
    return tmp_path / ".forge" / "runs" / "r" / "ledger.db"


def _contents(ledger: Path) -> dict[Path, bytes]:
    """Every file that is kept of the run."""
    files = (*ledger.parent.rglob("*"), *ledger.parents[3].glob("evidence/**/*"))
    return {path: path.read_bytes() for path in files if path.is_file()}


def _meanings(ledger: Path) -> dict[Path, bytes]:
    """The same, but of the ledger what its rows say: a lease that is put back may lie elsewhere."""
    with closing(sqlite3.connect(ledger)) as connection:
        rows = "\n".join(connection.iterdump())
    found = {path: data for path, data in _contents(ledger).items() if path.parent != ledger.parent}
    return found | {ledger: rows.encode()}


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("sentence", FAULTS)
def test_what_is_wrong_with_a_ledger_is_said_and_nothing_is_overwritten(
    sentence: str, words: list[str], ledger: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    FAULTS[sentence](ledger)
    before = _contents(ledger)
    capfd.readouterr()
    assert main(words) == 2
    assert sentence in capfd.readouterr().err
    after = _contents(ledger)
    assert {path: after.get(path) for path in before} == before


def test_a_run_whose_record_was_changed_is_not_gone_on_with(
    ledger: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    _altered(ledger, "UPDATE events SET item = 'b' WHERE item = 'a'")
    (ledger.parents[3] / "evidence" / "m" / "r" / "verification.json").unlink()
    before = _meanings(ledger)
    assert main(["resume"]) == 2
    assert "is damaged: event 2 is not the one that was recorded" in capfd.readouterr().err
    assert _meanings(ledger) == before


@pytest.fixture
def locked(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A ledger that somebody else has for himself."""
    monkeypatch.setattr(schema, "PATIENCE", 0.0)
    other = sqlite3.connect(ledger, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    yield ledger
    other.close()


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_ledger_that_is_locked_is_told_as_such(
    words: list[str], locked: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before = locked.read_bytes()
    assert main(words) == 2
    assert "is locked by another process; wait until it is done" in capfd.readouterr().err
    assert locked.read_bytes() == before
