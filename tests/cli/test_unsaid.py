"""Secrets of awkward values: numbers, words of the manifest or of forge's own, and inputs."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from forge_cli.__main__ import main

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


@pytest.mark.parametrize("value", ["teller", "tells.py", "word", " told\n", "succeeded", "done"])
def test_a_word_of_the_manifest_or_of_forge_is_no_secret(call: Call, value: str) -> None:
    code, printed = call(value, "run")
    assert code == 2
    assert "secret 'PIN' cannot be kept out of evidence" in printed
    assert not Path(".forge").exists()
