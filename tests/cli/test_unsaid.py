"""Secrets of awkward values: numbers, words of the manifest or of forge's own, and inputs."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from forge_cli.__main__ import main
from forge_cli.app.snapshots import snapshots
from forge_cli.gateway.secrets import Redactor
from forge_cli.gateway.snapshots import SnapshotError, Snapshots
from forge_cli.ledger.runs import RunFolder
from tests.multiagent.world import plan

Call = Callable[..., tuple[int, str]]

MANIFEST = """forge: 1
name: odd
inputs: {word: {type: string, default: none}}
secrets: [PIN]
roles:
  teller:
    capabilities: []
    handler: {kind: function, call: "tells.py:tells"}
work_items:
  told: {role: teller, secrets: [PIN], with: {word: "${inputs.word}"}, outputs: [result]}
  last: {run: [echo, "${inputs.word}"], capabilities: [], depends_on: [told]}
"""
HANDLERS = """import os

def tells(turn):
    pin = os.environ["PIN"]
    word = turn.inputs["word"]
    number = int(pin) if pin.isdecimal() else 0
    return {"result": {pin: [number, -number, number + 0.5, f"pin {pin}"], "word": word}}
"""
NUMBER = "74102588"
ENDED = ("turn_ended", "told")


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Call:
    """forge in a folder with the manifest, with a value of the secret: exit code and all output."""
    monkeypatch.chdir(tmp_path)
    Path("odd.forge.yaml").write_text(MANIFEST)
    Path("tells.py").write_text(HANDLERS)

    def run(pin: str, *words: str) -> tuple[int, str]:
        monkeypatch.setenv("PIN", pin)
        code = main(list(words))
        return code, "".join(capsys.readouterr())

    return run


def kept() -> bytes:
    """Every byte of every file that a run leaves."""
    folders = (Path(".forge"), Path("evidence"))
    return b"".join(f.read_bytes() for d in folders for f in d.rglob("*") if f.is_file())


def test_a_number_is_kept_out_of_everything_and_nothing_breaks_of_it(call: Call) -> None:
    code, printed = call(NUMBER, "run", "--run-id", "r", "--evidence", "evidence")
    assert code == 0
    assert NUMBER not in printed
    assert NUMBER.encode() not in kept()
    events = map(json.loads, Path("evidence/events.jsonl").read_text().splitlines())
    (output,) = (e["body"]["output"] for e in events if (e["kind"], e["item"]) == ENDED)
    assert output["result"] == {"***": ["***", "***", "***", "pin ***"], "word": "none"}
    assert call(NUMBER, "verify", "evidence")[0] == 0


def test_an_input_that_holds_a_secret_is_told_to_nobody(call: Call) -> None:
    code, printed = call(NUMBER, "run", "--input", f"word=a {NUMBER}", "--evidence", "evidence")
    assert code == 0
    assert b'"word":"a ***"' in kept()
    assert b'"result":"a ***"' in kept()
    assert NUMBER not in printed
    assert NUMBER.encode() not in kept()


def test_a_recorded_result_that_holds_a_secret_is_kept_without(call: Call) -> None:
    assert call("other-secret", "run", "--record", "recorded.json")[0] == 0
    text = Path("recorded.json").read_text()
    assert "none" in text
    Path("recorded.json").write_text(text.replace('"none"', f'"{NUMBER}"'))
    shutil.rmtree(".forge")
    shutil.rmtree("evidence")
    code, printed = call(
        NUMBER, "run", "--mock", "recorded.json", "--evidence", "evidence", "--format", "jsonl"
    )
    assert code == 0
    assert NUMBER not in printed
    assert NUMBER.encode() not in kept()


@pytest.mark.parametrize("step", ["keep", "restore"])
def test_a_file_with_a_secret_for_a_name_is_told_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def fails(*_: object) -> None:
        raise SnapshotError(f"{NUMBER!r}: Permission denied")

    monkeypatch.setattr(Snapshots, step, fails)
    prepared = SimpleNamespace(
        workspace=tmp_path, manifest=tmp_path / "m", evidence=tmp_path / "e", plan=plan([])
    )
    keeper = snapshots(prepared, RunFolder("r", tmp_path), Redactor({"PIN": NUMBER}))  # type: ignore[arg-type]
    with pytest.raises(SnapshotError, match=r"^'\*\*\*': Permission denied$"):
        keeper.keep([], lambda: False) if step == "keep" else keeper.restore("s")


@pytest.mark.parametrize("value", ["teller", "tells.py", "word", " told\n", "succeeded", "done"])
def test_a_word_of_the_manifest_or_of_forge_is_no_secret(call: Call, value: str) -> None:
    code, printed = call(value, "run")
    assert code == 2
    assert "secret 'PIN' cannot be kept out of evidence" in printed
    assert not Path(".forge").exists()
