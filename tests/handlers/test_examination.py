"""A plug-in is looked at in a process of its own: what it does there is told, not suffered."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forge_cli.handlers import examination
from forge_cli.handlers.examination import Examined, Fault, examine
from forge_cli.handlers.installed import named

Install = Callable[..., Path]
Look = Callable[..., Examined]

GOOD = """
from forge_cli.multiagent.turn import TurnResult
class Shell:
    settings = {
        "type": "object",
        "properties": {"shell": {"enum": ["sh", "bash"]}, "flags": {"items": {"type": "string"}}},
        "patternProperties": {"^x-": {}},
        "required": ["shell"],
        "additionalProperties": False,
    }
    async def run(self, turn):
        return TurnResult.done({})
"""


@pytest.fixture
def look(install: Install) -> Look:
    """What is found of a plug-in whose module has that source."""

    def look(source: str, *settings: dict[str, Any]) -> Examined:
        install("acme", "shell = acme_shell:Shell", acme_shell=source)
        plug_in = named("shell")
        assert plug_in is not None
        return examine(plug_in, settings)

    return look


def test_a_sound_plug_in_has_no_problem_and_shows_its_schema(look: Look) -> None:
    found = look(GOOD)
    assert found.problem == ""
    assert found.schema["required"] == ["shell"]


def test_settings_are_held_against_the_schema_with_places(look: Look) -> None:
    found = look(GOOD, {"shell": "sh"}, {"shell": "zsh", "flags": ["-e", 1], "shel": 1, "x-a": 1})
    assert found.faults == (
        (),
        (
            Fault(("shel",), True, "there is no such setting", ("flags", "shell")),
            Fault(("flags", 1), False, "1 is not of type 'string'"),
            Fault(("shell",), False, "'zsh' is not one of ['sh', 'bash']"),
        ),
    )


def test_a_text_that_is_still_to_be_filled_is_not_judged(look: Look) -> None:
    assert look(GOOD, {"shell": "${inputs.shell}"}).faults == ((),)


def test_without_a_schema_every_setting_will_do(look: Look) -> None:
    source = "class Shell:\n    async def run(self, turn): ...\n"
    assert look(source, {"a": 1}) == Examined("", None, ((),))


RUN = "\n    async def run(self, turn): ..."


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("import nothing_like_it", "'acme_shell' cannot be imported: ModuleNotFoundError: No mo"),
        ("raise KeyboardInterrupt", "'acme_shell' cannot be imported: KeyboardInterrupt"),
        ("import sys; sys.exit(3)", "'acme_shell' cannot be imported: SystemExit: 3"),
        ("def f(:", "'acme_shell' cannot be imported: SyntaxError: "),
        ("import os; os._exit(3)", "importing it ends the interpreter: exit status 3"),
        ("import os; os.kill(os.getpid(), 9)", "importing it ends the interpreter: signal 9"),
        ("", "'acme_shell' has no class 'Shell'"),
        ("Shell = 5", "'acme_shell' has no class 'Shell'"),
        ("class Shell:\n    def __init__(self, a): ...", "Shell() fails: TypeError: "),
        ("class Shell: ...", "'Shell' has no  async def run(self, turn)"),
        ("class Shell:\n    def run(self, turn): ...", "'Shell' has no  async def run(self, turn)"),
        (
            "class Shell:\n    async def run(self): ...",
            "'Shell.run' takes (), not the turn alone",
        ),
        ("class Shell:\n    settings = 5" + RUN, "its settings are a int, not a JSON Schema"),
        (
            "class Shell:\n    settings = {'type': 'text'}" + RUN,
            "its settings are no JSON Schema: 'text' is not valid",
        ),
        (
            "class Shell:\n    settings = {'properties': {'env': {}}}" + RUN,
            "its settings name 'env', which means the same for every handler",
        ),
    ],
)
def test_what_is_broken_is_a_sentence(look: Look, source: str, problem: str) -> None:
    assert look(source).problem.startswith(problem)


def test_a_reference_of_the_schema_is_not_fetched(look: Look) -> None:
    source = "class Shell:\n    settings = {'$ref': 'http://127.0.0.1:9/s.json'}" + RUN
    assert look(source, {"a": 1}).problem == (
        "its settings are no JSON Schema: Unresolvable: http://127.0.0.1:9/s.json"
    )


def test_what_it_prints_is_no_answer(look: Look) -> None:
    assert look('print(\'{"problem": "no"}\')\nclass Shell:' + RUN).problem == ""


def test_it_sees_no_variable_that_a_handler_would_not(
    look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_KEY", "secret")
    source = "import os; assert 'API_KEY' not in os.environ\nclass Shell:" + RUN
    assert look(source).problem == ""


def test_one_that_hangs_is_given_up(look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examination, "PATIENCE", 1)
    assert look("import time; time.sleep(600)").problem == "it is not imported within 1 s"
