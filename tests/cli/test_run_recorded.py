"""`forge run --record` and `--mock`: results stand in for handlers, and what differs is told."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forge_cli.__main__ import main

pytestmark = pytest.mark.usefixtures("unheld")  # what they do tells whether they ran

MANIFEST = """forge: 1
secrets: [TOKEN]
roles:
  worker: {capabilities: [], handler: {kind: function, call: "handlers.py:work"}}
work_items:
  first: {role: worker}
  second:
    run: [sh, -c, "echo ran >> ran; echo hello"]
    capabilities: []
    depends_on: [first]
    on_failure: {retry: {max_attempts: 2, on: [error]}, then: fail}
outputs: {said: "${items.first.outputs.result}", heard: "${items.second.outputs.result}"}
"""
HANDLERS = """
from forge_cli.multiagent.turn import TurnResult

def work(turn):
    open("ran", "a").write("ran\\n")
    if turn.number == 1:
        return TurnResult.yields([turn.number], usage={})
    return {"result": "x" * 300_000}
"""

Call = Callable[..., tuple[int, str]]


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Call:
    """`forge` in a folder that holds the manifest: exit code, and what is printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOKEN", "canary-41f7c2")
    (tmp_path / "m.yaml").write_text(MANIFEST, "utf-8")
    (tmp_path / "handlers.py").write_text(HANDLERS, "utf-8")

    def call(*words: str) -> tuple[int, str]:
        code = main(list(words))
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return call


@pytest.fixture
def recorded(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The recording of a run, which is in `r.json`; the evidence is in `kept`."""
    code, printed = call("run", "m.yaml", "--record", "r.json", "--evidence", "kept")
    assert code == 0, printed
    (tmp_path / "ran").unlink()
    monkeypatch.delenv("TOKEN")
    document: dict[str, Any] = json.loads((tmp_path / "r.json").read_text("utf-8"))
    return document


def outputs(evidence: Path) -> Any:
    return json.loads((evidence / "run.json").read_text("utf-8"))["run"]["outputs"]


@pytest.mark.parametrize("source", ["r.json", "kept"])
def test_a_recording_or_evidence_stands_in_for_all_handlers(
    call: Call, recorded: dict[str, Any], tmp_path: Path, source: str
) -> None:
    code, printed = call("run", "m.yaml", "--mock", source, "--evidence", "again")
    assert (code, (tmp_path / "ran").exists()) == (0, False), printed
    assert "recorded results, nothing is called" in printed
    assert outputs(tmp_path / "again") == outputs(tmp_path / "kept")
    assert call("verify", "again")[0] == 0


def test_evidence_says_that_results_were_recorded(
    call: Call, recorded: dict[str, Any], tmp_path: Path
) -> None:
    call("run", "m.yaml", "--mock", "r.json", "--evidence", "again")
    run = json.loads((tmp_path / "again" / "run.json").read_text("utf-8"))["run"]
    assert run["mock"]["name"] == "r.json"
    assert run["mock"]["digest"].startswith("sha256:")


def test_turns_are_told_apart(recorded: dict[str, Any]) -> None:
    rows = [(row["item"], row["attempt"], row["turn"]) for row in recorded["results"]]
    assert rows == [("first", "1", 1), ("first", "1", 2), ("second", "1", 1)]


def test_a_missing_result_fails_its_item(
    call: Call, recorded: dict[str, Any], tmp_path: Path
) -> None:
    recorded["results"].pop()
    (tmp_path / "r.json").write_text(json.dumps(recorded), "utf-8")
    code, printed = call("run", "m.yaml", "--mock", "r.json")
    assert code == 1
    assert "no result is recorded for turn 1 of attempt 2 of item 'second'" in printed


def test_a_missing_result_is_told_though_the_run_goes_on(
    call: Call, recorded: dict[str, Any], tmp_path: Path
) -> None:
    lenient = MANIFEST.replace("then: fail", "then: continue")
    (tmp_path / "m.yaml").write_text(lenient.replace("hello", "hi"), "utf-8")
    recorded["results"].pop()
    (tmp_path / "r.json").write_text(json.dumps(recorded), "utf-8")
    code, _ = call("run", "m.yaml", "--mock", "r.json", "--allow-degraded")
    assert code == 1


def test_a_result_that_is_not_used_is_a_finding(
    call: Call, recorded: dict[str, Any], tmp_path: Path
) -> None:
    recorded["results"].append({"item": "third", "result": {"status": "done", "output": {}}})
    (tmp_path / "r.json").write_text(json.dumps(recorded), "utf-8")
    code, printed = call("run", "m.yaml", "--mock", "r.json")
    assert code == 1
    assert "the recorded result of turn 1 of attempt 1 of item 'third' was not used" in printed


def test_failures_are_recorded_and_tried_again(call: Call, tmp_path: Path) -> None:
    text = MANIFEST.replace("echo hello", "test -e once || { touch once; exit 3; }; echo hello")
    (tmp_path / "m.yaml").write_text(text, "utf-8")
    assert call("run", "m.yaml", "--record", "r.json")[0] == 0
    code, printed = call("run", "m.yaml", "--mock", "r.json")
    assert code == 0, printed
    assert "exit status 3" in printed


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "'r.json' holds no recorded results: it is not JSON"),
        ("[]", "it does not say  format_version: 1"),
        ('{"format_version": 1, "results": [{"item": "a"}]}', "result 1 must have item and result"),
        (
            '{"format_version": 1, "results": [{"item": "a", "result": {"status": "x"}}]}',
            "result 1: status is 'x', not one of done, failed, yields",
        ),
        (
            '{"format_version": 1, "results": [{"item": "a", "turn": "1", "result": {}}]}',
            "turn of result 1 is '1', which is no whole number",
        ),
    ],
)
def test_what_is_no_recording_is_refused(call: Call, tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "r.json").write_text(text, "utf-8")
    code, printed = call("run", "m.yaml", "--mock", "r.json")
    assert code == 2
    assert words in printed


def test_a_recording_that_is_not_there_is_refused(call: Call) -> None:
    code, printed = call("run", "m.yaml", "--mock", "none.json")
    assert code == 2
    assert "'none.json' cannot be read" in printed


def test_results_of_recorded_results_are_not_taken_over(
    call: Call, recorded: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    call("run", "m.yaml", "--mock", "r.json", "--run-id", "mocked")
    monkeypatch.setenv("TOKEN", "canary-41f7c2")
    code, printed = call("run", "m.yaml", "--reuse", "mocked")
    assert code == 2
    assert "stands on recorded results" in printed
