"""Turns of plug-ins: what an installed class may do, and what becomes of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forge_cli.errors import ForgeError
from forge_cli.handlers import create
from forge_cli.handlers.context import HandlerContext
from forge_cli.multiagent.turn import TurnResult

Install = Callable[..., Path]
Run = Callable[..., TurnResult]

HEAD = """
import asyncio, os, sys
from forge_cli.multiagent.turn import TurnResult
class Shell:
    count = 0
    async def run(self, turn):
"""


@pytest.fixture
def shell(install: Install) -> Callable[[str], None]:
    """Installs a plug-in of kind `shell` whose turns do that."""

    def shell(body: str) -> None:
        lines = "".join(f"        {line}\n" for line in body.splitlines())
        install("acme", "shell = acme_shell:Shell", acme_shell=HEAD + lines)

    return shell


def test_the_turn_has_inputs_and_settings(shell: Callable[[str], None], run: Run) -> None:
    shell("return TurnResult.done({'result': [turn.inputs, turn.handler['settings']]})")
    result = run("shell", {"settings": {"a": 1}}, inputs={"b": 2})
    assert result.output == {"result": [{"b": 2}, {"a": 1}]}


def test_usage_evidence_and_partial_results_are_handed_on(
    shell: Callable[[str], None], run: Run
) -> None:
    shell("return TurnResult.failed('error', 'half', partial=[1], usage={'model_calls': 2})")
    result = run("shell", {"settings": {}})
    assert (result.status, result.message) == ("failed", "half")
    assert (result.partial, result.usage) == ([1], {"model_calls": 2})


@pytest.mark.parametrize(
    ("body", "kind", "message"),
    [
        ("raise ValueError('no')", "error", "acme_shell.py:7: ValueError: no"),
        ("raise BaseException('no')", "error", "acme_shell.py:7: BaseException: no"),
        ("raise KeyboardInterrupt", "error", "acme_shell.py:7: KeyboardInterrupt"),
        ("raise asyncio.CancelledError", "error", "CancelledError"),
        ("sys.exit('enough')", "error", "acme_shell.py:7: called sys.exit('enough')"),
        ("os._exit(4)", "error", "the handler's process ended before it answered: exit status 4"),
        ("pass", "invalid-output", "the handler returned NoneType, not a TurnResult"),
        ("return {'result': 1}", "invalid-output", "the handler returned dict, not a TurnResult"),
        (
            "return TurnResult.done({'result': {1}})",
            "invalid-output",
            "what the handler returned is not JSON: Object of type set is not JSON serializable",
        ),
        ("return TurnResult('well')", "invalid-output", "status is 'well', not one of done, fai"),
    ],
)
def test_whatever_it_does_is_a_result(
    shell: Callable[[str], None], run: Run, body: str, kind: str, message: str
) -> None:
    shell(body)
    result = run("shell", {"settings": {}})
    assert (result.status, result.kind) == ("failed", kind)
    assert message in result.message


def test_its_object_stays_for_the_next_turn_and_its_tasks_do_not(
    shell: Callable[[str], None], run_in_turn: Callable[..., list[TurnResult]]
) -> None:
    shell(
        "Shell.count += 1\n"
        "self.before = getattr(self, 'task', None)\n"
        "self.task = asyncio.create_task(asyncio.sleep(600))\n"
        "ended = self.before is not None and self.before.cancelled()\n"
        "return TurnResult.done({'result': [Shell.count, ended]})"
    )
    first, second = run_in_turn("shell", {"settings": {}}, {"settings": {}})
    assert (first.output, second.output) == ({"result": [1, False]}, {"result": [2, True]})


def test_one_that_cannot_be_imported_is_a_failure_each_time(
    install: Install, run_in_turn: Callable[..., list[TurnResult]]
) -> None:
    install("acme", "shell = acme_shell:Shell", acme_shell="import nothing_like_it")
    results = run_in_turn("shell", {}, {})
    assert {result.message for result in results} == {
        "'acme_shell' cannot be imported: ModuleNotFoundError: No module named 'nothing_like_it'"
    }


def test_a_clash_is_refused_with_both_names(install: Install, context: HandlerContext) -> None:
    install("acme-one", "shell = m:A")
    install("acme-two", "shell = m:A")
    with pytest.raises(ForgeError, match=r"'shell' cannot be used: acme-one 1\.0 and acme-two"):
        create(["shell"], context)


def test_a_secret_of_its_own_is_redacted(shell: Callable[[str], None], run: Run) -> None:
    shell("return TurnResult.done({'result': os.environ['TOKEN']})")
    assert run("shell", {"secrets": ["TOKEN"]}).output == {"result": "***"}


def test_a_module_of_the_workspace_is_not_taken_for_the_plug_ins(
    shell: Callable[[str], None], run: Run, context: HandlerContext, monkeypatch: Any
) -> None:
    shell("import colorsys; return TurnResult.done({'result': colorsys.__file__})")
    (context.workspace / "colorsys.py").write_text("")
    result = run("shell", {})
    assert result.output is not None
    assert not str(result.output["result"]).startswith(str(context.workspace))
