"""Calls of tools that change something: within the grant, and told as they came out."""

import asyncio
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forge_cli.handlers.agent_tools import NAMED
from forge_cli.handlers.context import HandlerContext, Stopped
from forge_cli.handlers.tool import ToolHandler
from forge_cli.multiagent import tools
from forge_cli.multiagent.plan import Grant
from forge_cli.multiagent.turn import TurnResult
from forge_cli.testing import a_turn

GRANT = Grant(
    frozenset({"write", "process"}),
    frozenset({"file-read", "file-write", "process"}),
    ("files:docs/**",),
    ("files:docs/**",),
    ("result",),
)
SERVER = Path(__file__).parents[1] / "gateway" / "data" / "tool_server.py"
CHANGE = {
    "tool": "change",
    "capability": "change",
    "actions": ["file-write"],
    "scope_args": ["path"],
}
Call = Callable[..., TurnResult]


@pytest.fixture
def call(context: HandlerContext) -> Call:
    """Call a tool with these arguments."""

    def call(tool: str, **arguments: Any) -> TurnResult:
        inputs = {"tool": tool, "arguments": arguments}
        turn = a_turn(handler_kind="tool", handler={}, grant=GRANT, inputs=inputs)
        handler = ToolHandler(replace(context, own=("docs/own",)))
        return asyncio.run(handler.run(turn))

    return call


@pytest.fixture
def page(context: HandlerContext) -> Path:
    (context.workspace / "docs").mkdir()
    path = context.workspace / "docs" / "a.md"
    path.write_text("one two two", "utf-8")
    return path


@pytest.fixture
def serve(context: HandlerContext) -> Call:
    """Call `change` of a server that behaves like this, with these capabilities."""

    def serve(behaviour: str, *words: str, **arguments: Any) -> TurnResult:
        server = {"argv": [sys.executable, str(SERVER), behaviour]}
        inputs = {"tool": "small/change", "arguments": arguments}
        grant = replace(GRANT, capabilities=frozenset(words))
        config = {"server": server, "tools": [CHANGE]}
        handler = ToolHandler(context)
        return asyncio.run(
            handler.run(a_turn(handler_kind="tool", handler=config, grant=grant, inputs=inputs))
        )

    return serve


def test_every_tool_that_asks_needs_the_same_action_here_and_there() -> None:
    assert {name: tool.action for name, tool in NAMED.items() if tool.asks} == tools.ACTIONS


def test_a_file_is_written_where_the_grant_says(call: Call, page: Path) -> None:
    result = call("write_file", path="docs/b/c.md", content="new")
    assert result.output == {"result": "docs/b/c.md"}
    assert (page.parent / "b" / "c.md").read_text("utf-8") == "new"
    assert (result.usage, result.effects) == (
        {"tool_calls": 1},
        ({"tool": "write_file", "path": "docs/b/c.md"},),
    )


@pytest.mark.parametrize("path", ["src/x.py", "docs/own/x", "docs/../src/x.py", "docs/link/x"])
def test_nothing_is_written_anywhere_else(
    call: Call, context: HandlerContext, page: Path, path: str
) -> None:
    (context.workspace / "src").mkdir()
    (page.parent / "link").symlink_to(context.workspace / "src")
    result = call("write_file", path=path, content="new")
    assert result.status == "failed"
    assert list((context.workspace / "src").iterdir()) == []
    assert not (page.parent / "own").exists()


def test_a_denial_is_recorded_and_not_paid(call: Call) -> None:
    result = call("write_file", path="src/x.py", content="")
    assert result.usage == {"tool_calls": 0}
    (effect,) = result.effects
    assert effect["denied"] == "write 'src/x.py' is denied: not in its writes: files:docs/**"
    assert (effect["action"], effect["touches"]) == ("file-write", "files:src/x.py")


def test_a_text_that_stands_once_is_replaced(call: Call, page: Path) -> None:
    assert call("edit_file", path="docs/a.md", old="one", new="1").status == "done"
    assert page.read_text("utf-8") == "1 two two"


@pytest.mark.parametrize(("old", "times"), [("two", 2), ("three", 0)])
def test_a_text_that_does_not_stand_once_is_left(
    call: Call, page: Path, old: str, times: int
) -> None:
    result = call("edit_file", path="docs/a.md", old=old, new="x")
    assert result.message == f"the text to replace stands {times} times in 'docs/a.md', not once"
    assert page.read_text("utf-8") == "one two two"


def test_a_program_is_started_and_its_text_is_the_answer(call: Call) -> None:
    result = call("run_command", argv=["echo", "hello; rm -rf ."])
    assert result.output == {"result": "hello; rm -rf ."}
    assert result.usage == {"tool_calls": 1}


def test_a_program_that_fails_is_told_with_its_last_lines(call: Call) -> None:
    result = call("run_command", argv=["sh", "-c", "echo broken >&2; exit 3"])
    assert (result.message, result.partial) == ("exit status 3", "broken")


def test_arguments_that_do_not_fit_are_told(call: Call) -> None:
    result = call("run_command", argv=[])
    assert (result.kind, result.usage) == ("invalid-output", {"tool_calls": 0})
    assert result.message.startswith("the arguments of run_command do not fit")


def test_an_argument_that_no_program_can_be_given_is_told(call: Call) -> None:
    result = call("run_command", argv=["echo", "a\0b"])
    reason = "argument 1 holds a NUL character, which no program can be given"
    assert (result.kind, result.message) == ("error", reason)


def test_a_program_that_is_cancelled_has_been_called(context: HandlerContext) -> None:
    inputs = {"tool": "run_command", "arguments": {"argv": ["sleep", "60"]}}
    turn = a_turn(handler_kind="tool", handler={}, grant=GRANT, inputs=inputs)

    async def main() -> Stopped:
        task = asyncio.create_task(ToolHandler(context).run(turn))
        await asyncio.wait([task], timeout=0.2)
        task.cancel()
        with pytest.raises(Stopped) as stopped:
            await task
        return stopped.value

    assert asyncio.run(main()).result.usage == {"tool_calls": 1}


def test_a_tool_of_a_server_is_called_with_what_was_asked(serve: Call, page: Path) -> None:
    result = serve("fine", "change", path="docs/a.md")
    assert result.output == {"result": 'change {"path": "docs/a.md"}'}
    assert result.usage == {"tool_calls": 1}
    assert result.effects[0]["tool"] == "small/change"


@pytest.mark.parametrize(
    ("words", "path", "needed"),
    [
        ((), "docs/a.md", {"action": "file-write", "capability": "change"}),
        (("change",), "../x", {"action": "file-write"}),
    ],
)
def test_a_tool_of_a_server_beyond_the_grant_is_denied_and_not_paid(
    serve: Call, page: Path, words: tuple[str, ...], path: str, needed: dict[str, str]
) -> None:
    result = serve("fine", *words, path=path)
    assert (result.status, result.usage) == ("failed", {"tool_calls": 0})
    assert "is denied" in result.effects[0]["denied"]
    assert needed.items() <= result.effects[0].items()


def test_a_server_that_cannot_be_used_fails_the_call(serve: Call, page: Path) -> None:
    result = serve("refuses", "change", path="docs/a.md")
    assert (result.status, result.kind, result.usage) == ("failed", "error", {"tool_calls": 0})
    assert "no licence" in result.message
