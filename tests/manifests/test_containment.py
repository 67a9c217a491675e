"""The manifests of containment: what each recovery leads to, on a copy."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forge_cli.__main__ import main

Forge = Callable[..., tuple[int, str]]


@pytest.fixture
def forge(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Forge:
    """A command line in the copy: exit status and standard output."""
    monkeypatch.chdir(workspace)
    (workspace / ".git").mkdir(exist_ok=True)

    def run(*words: str) -> tuple[int, str]:
        code = main(list(words))
        return code, capsys.readouterr().out

    return run


def record(workspace: Path, name: str) -> dict[str, Any]:
    (path,) = workspace.glob(f"evidence/{name}/*/run.json")
    found: dict[str, Any] = json.loads(path.read_bytes())
    return found


def command(printed: str, label: str) -> list[str]:
    """The words behind a label of the verdict, without the program."""
    line = next(line for line in printed.splitlines() if line.startswith(f"  {label} "))
    return line.partition(" forge ")[2].split("  ")[0].split()


def test_what_awaits_an_approval_goes_on_as_the_verdict_says(forge: Forge, workspace: Path) -> None:
    code, printed = forge("run", "manifests/containment/approval.yaml")
    assert code == 4
    assert "'tell' awaits an approval" in printed
    assert forge(*command(printed, "approve"))[0] == 0
    output = record(workspace, "approval")["items"]["tell"]["output"]
    assert output == {"result": "told. The shop is closed on Monday."}


def test_what_is_declined_degrades_a_run_that_does_not_require_it(
    forge: Forge, workspace: Path
) -> None:
    _, printed = forge("run", "manifests/containment/approval.yaml")
    assert forge(*command(printed, "give up"))[0] == 3
    assert record(workspace, "approval")["items"]["tell"]["status"] == "denied"


def test_what_escalated_is_made_again_and_told_why(forge: Forge, workspace: Path) -> None:
    code, printed = forge("run", "manifests/containment/escalation.yaml")
    assert code == 4
    assert forge(*command(printed, "go on"))[0] == 0
    output = record(workspace, "escalation")["items"]["publish"]["output"]
    assert output == {"result": "The shop is closed. (the day)"}


def test_the_result_of_what_escalated_can_be_given(forge: Forge, workspace: Path) -> None:
    forge("run", "manifests/containment/escalation.yaml")
    (workspace / "note.json").write_text('{"result": "The shop is closed on Monday."}')
    assert forge("resume", "--accept", "write", "note.json")[0] == 0
    output = record(workspace, "escalation")["items"]["publish"]["output"]
    assert output == {"result": "The shop is closed on Monday."}
