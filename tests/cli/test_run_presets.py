"""`forge plan` and `forge run` with presets, whose programs are stand-ins on the PATH."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from forge_cli.__main__ import main

DATA = Path(__file__).parent.parent / "handlers" / "presets" / "data"
MANIFEST = """forge: 1
{top}
schemas:
  verdict@1:
    type: object
    properties: {{verdict: {{enum: [approve, reject]}}}}
    required: [verdict]
    additionalProperties: false
roles:
  reviewer:
    capabilities: [repository-read]
    outputs: [verdict]
    handler: {{kind: {kind}{more}}}
work_items:
  review: {{role: reviewer, goal: Judge the change, completion: "schema:verdict@1"}}
"""

Forge = Callable[..., tuple[int, str]]


@pytest.fixture
def forge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Forge:
    """A command of forge in a folder with the manifest: its exit code, and what is printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")

    def forge(
        *words: str, kind: str = "claude-code", more: str = "", top: str = ""
    ) -> tuple[int, str]:
        (tmp_path / "m.yaml").write_text(MANIFEST.format(kind=kind, more=more, top=top), "utf-8")
        code = main([*words, "m.yaml"])
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return forge


@pytest.fixture
def installed(tmp_path: Path) -> Callable[..., None]:
    """Put a stand-in on the PATH that prints what the real program printed."""

    def installed(program: str, recorded: str) -> None:
        path = tmp_path / "bin" / program
        path.parent.mkdir()
        path.write_text(f"#!/bin/sh\ncat > /dev/null\nexec cat {path}.jsonl\n")
        shutil.copy(DATA / f"{recorded}.jsonl", f"{path}.jsonl")
        path.chmod(0o755)

    return installed


def test_plan_shows_the_command_that_a_preset_stands_for(forge: Forge) -> None:
    code, printed = forge("plan", top="budget: {cost_usd: 2}")
    assert code == 0
    assert " review    preset claude-code " in printed
    shown = " ".join(printed.split())
    assert "run claude -p --output-format stream-json --verbose" in shown
    assert "--tools Read,Glob,Grep --allowed-tools Read,Glob,Grep" in shown
    assert "--json-schema SCHEMA --max-budget-usd COST_USD" in shown
    assert "Edit" not in shown
    assert "claude missing" in shown


def test_run_refuses_while_the_program_is_missing(forge: Forge) -> None:
    code, printed = forge("run", kind="qwen-code")
    assert code == 2
    assert "1 program is missing: qwen; nothing was started" in printed


def test_a_run_ends_with_what_the_program_says(
    forge: Forge, installed: Callable[..., None], tmp_path: Path
) -> None:
    installed("claude", "claude-code.done")
    code, printed = forge("run", "--evidence", "kept", top="budget: {cost_usd: 2}")
    assert code == 0, printed
    assert "verdict@1 holds; verdict, 7 B" in printed
    assert "3 calls  $0.0028" in printed
    events = map(json.loads, (tmp_path / "kept" / "events.jsonl").read_text().splitlines())
    (ended,) = (event["body"] for event in events if event["kind"] == "turn_ended")
    assert ended["usage"] == {"cost_usd": 2800, "model_calls": 3, "tokens": 2560}


def test_what_the_program_does_is_shown(forge: Forge, installed: Callable[..., None]) -> None:
    installed("claude", "claude-code.done")
    _, printed = forge("run", "-v")
    assert "  review    running    Read /home/dev/project/notes.txt\n" in printed


def test_exit_status_0_does_not_make_a_failure_a_success(
    forge: Forge, installed: Callable[..., None]
) -> None:
    installed("claude", "claude-code.failed")
    code, printed = forge("run")
    assert code == 1
    assert "it says: API Error: Unable to connect to API (ConnectionRefused)" in " ".join(
        printed.split()
    )


def test_what_a_program_does_not_tell_is_not_nothing(
    forge: Forge, installed: Callable[..., None], tmp_path: Path
) -> None:
    installed("codex", "codex.done")
    limited = {"kind": "codex", "top": "budget: {cost_usd: 2}"}
    code, printed = forge("run", **limited)
    assert code == 2
    assert "write max_usage: {cost_usd: ...} in its handler" in " ".join(printed.split())
    code, printed = forge("run", more=", max_usage: {cost_usd: 0.5}", **limited)
    assert code == 0, printed
    assert "$0.5000" in printed


def test_a_budget_of_the_item_is_a_bound_as_well(
    forge: Forge, tmp_path: Path, installed: Callable[..., None]
) -> None:
    installed("gemini", "gemini-cli.done")
    item = "budget: {cost_usd: 2}\nlabels: {}"
    assert forge("plan", kind="gemini-cli", top=item)[1].count("run refuses") == 1
    text = (tmp_path / "m.yaml").read_text().replace("goal:", "budget: {cost_usd: 1}, goal:")
    (tmp_path / "n.yaml").write_text(text)
    assert main(["run", "n.yaml"]) == 0
