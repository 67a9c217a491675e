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
