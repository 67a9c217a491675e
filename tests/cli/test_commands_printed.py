"""Commands that a verdict or a refusal prints, typed as they stand where they were printed."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from forge_cli.__main__ import main

Call = Callable[..., tuple[int, str, str]]

MANIFEST = """forge: 1
work_items:
  build: {script: "echo broken >&2; exit 3", capabilities: []}
"""


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Call:
    """`forge` in a folder beside the one that holds a manifest: exit code, output, error."""
    (tmp_path / "bad one").mkdir()
    (tmp_path / "bad one" / "m.forge.yaml").write_text(MANIFEST)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")

    def forge(*words: str) -> tuple[int, str, str]:
        code = main([*words])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return forge


def printed(text: str) -> list[str]:
    """The words of the first `forge show` in a text, without the program."""
    found = re.search(r"forge (show .*?)(?:  |$)", text, re.MULTILINE)
    assert found
    return shlex.split(found[1])


def test_look_finds_a_run_of_another_folder(call: Call) -> None:
    code, out, _ = call("run", "../bad one/m.forge.yaml")
    assert code == 1
    code, shown, _ = call(*printed(out))
    assert code == 0
    assert "exit status 3" in shown


def test_look_of_a_shown_run_finds_it_again(call: Call) -> None:
    call("run", "../bad one/m.forge.yaml")
    _, out, _ = call("show", "--workspace", "../bad one")
    assert call(*printed(out))[0] == 0


def test_runs_of_another_folder_are_listed(call: Call) -> None:
    call("run", "../bad one/m.forge.yaml")
    code, out, _ = call("runs", "--workspace", "../bad one")
    assert code == 0
    assert out.splitlines()[1].split()[1:3] == ["m", "failed"]


def test_a_workspace_that_is_no_folder_is_refused(call: Call) -> None:
    for command in ("show", "runs"):
        code, _, err = call(command, "--workspace", "nowhere")
        assert code == 2
        assert "--workspace 'nowhere' is no folder" in err


def test_an_item_in_the_place_of_a_run_is_answered_with_what_to_type(call: Call) -> None:
    call("run", "../bad one/m.forge.yaml")
    code, _, err = call("show", "build", "--workspace", "../bad one")
    assert code == 2
    code, shown, _ = call(*printed(err))
    assert code == 0
    assert "exit status 3" in shown


def test_an_item_that_is_not_there_is_told_with_those_that_are(call: Call) -> None:
    call("run", "../bad one/m.forge.yaml", "--run-id", "r1")
    _, _, err = call("show", "r1", "nope", "--workspace", "../bad one")
    assert "has no item 'nope'. It has: build" in err
    _, _, err = call("show", "r1", "biuld", "--workspace", "../bad one")
    assert "has no item 'biuld'; did you mean 'build'? It has: build" in err


DENIED = """forge: 1
scope: [files:**]
roles:
  writer: {capabilities: [write], handler: {kind: function, call: "h.py:write"}}
work_items:
  draft: {role: writer, writes: [files:own.txt]}
"""
HANDLER = """from forge_cli.multiagent.turn import TurnResult


def write(turn):
    if turn.answers:
        return {"result": "written"}
    path = "own.txt" if turn.inbox else "other.txt"
    call = {"tool": "write_file", "arguments": {"path": path, "content": ""}}
    return TurnResult.yields(None, requests=(call,))
"""
ESCALATED = """forge: 1
work_items:
  build: {script: exit 3, capabilities: [], on_failure: escalate}
"""
HELD = """forge: 1
work_items:
  build: {script: sleep 9, capabilities: [write], timeout: 1s}
"""
ASKED = """forge: 1
work_items:
  build: {run: [echo, done], capabilities: [], approval: required}
"""


def rows(text: str) -> dict[str, list[str]]:
    """What a verdict prints to be typed, by its label: the words without the program."""
    found = re.finditer(r"^  (\w+(?: \w+)?) +(?:edit .*)?forge (.+?)(?:  |$)", text, re.MULTILINE)
    return {row[1]: shlex.split(row[2]) for row in found}


@pytest.mark.parametrize(
    ("manifest", "label", "code"),
    [
        (DENIED, "look", 0),
        (DENIED, "go on", 0),
        (DENIED, "narrow", 0),
        (DENIED, "accept", 0),
        (DENIED, "give up", 1),
        (DENIED, "widen", 4),
        (ESCALATED, "go on", 4),
        (ESCALATED, "accept", 0),
        (ESCALATED, "change", 4),
        (HELD, "go on", 4),
        (HELD, "accept", 0),
        (HELD, "give up", 1),
        (ASKED, "approve", 0),
        (ASKED, "decline", 1),
    ],
)
def test_what_is_printed_decides_about_a_run_of_another_workspace(
    call: Call, tmp_path: Path, manifest: str, label: str, code: int
) -> None:
    (tmp_path / "bad one" / "m.forge.yaml").write_text(manifest)
    (tmp_path / "bad one" / "h.py").write_text(HANDLER)
    (tmp_path / "here" / "FILE").write_text('{"result": "it is so"}')
    paused, out, _ = call("run", "../bad one/m.forge.yaml", "--workspace", "../bad one")
    assert paused == 4
    words = ["capabilities=write" if w == "KEY=VALUE" else w for w in rows(out)[label]]
    decided, _, err = call(*words)
    assert decided == code, err
