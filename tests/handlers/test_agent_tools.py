"""Tools of agents: those of the grant, answered within the turn or asked of the engine."""

from dataclasses import replace
from pathlib import Path

import pytest
from pydantic_ai.messages import ToolReturnPart

from forge_cli.handlers.agent_tools import withheld
from forge_cli.handlers.context import HandlerContext
from forge_cli.multiagent.plan import Grant, Json
from forge_cli.multiagent.turn import Turn, TurnResult
from forge_cli.testing import a_turn
from tests.handlers.agents import (
    MODEL,
    READS,
    VERDICT,
    WRITES,
    Script,
    calls,
    outcome,
    run_turns,
    says,
)


@pytest.mark.parametrize(
    ("grant", "shown", "tools"),
    [
        (Grant(outputs=("result",)), None, set()),
        (READS, None, {"read_file", "list_files", "search_files"}),
        (READS, ["read_file", "write_file"], {"read_file"}),
        (READS, [], set()),
        (
            WRITES,
            None,
            {"read_file", "list_files", "search_files", "write_file", "edit_file"},
        ),
    ],
)
def test_tools_come_from_the_grant(
    context: HandlerContext, plain: Turn, grant: Grant, shown: list[str] | None, tools: set[str]
) -> None:
    handler = {"model": "openai:gpt-5"} | ({} if shown is None else {"tools": shown})
    script = Script((says("fine"),))
    run_turns(context, script, a_turn(handler_kind="agent", handler=handler, grant=grant))
    assert script.tools() == tools


def test_who_may_delegate_is_shown_to_whom(context: HandlerContext) -> None:
    script = Script((says("fine"),))
    turn = a_turn(handler_kind="agent", handler=MODEL, delegates=("coder", "reader"))
    run_turns(context, script, turn)
    (tool,) = script.shown[-1].function_tools
    assert tool.name == "delegate_subagent"
    assert tool.parameters_json_schema["properties"]["name"]["enum"] == ["coder", "reader"]
    handler = {**MODEL, "tools": []}
    run_turns(context, script, a_turn(handler_kind="agent", handler=handler, delegates=("coder",)))
    assert script.tools() == set()


def test_who_may_insert_steps_is_shown_how(context: HandlerContext) -> None:
    steps = {"steps": [{"goal": "test it", "capabilities": []}]}
    script = Script((calls(("decompose_task", steps)), says("fine")))
    turn = a_turn(handler_kind="agent", handler=MODEL, max_steps=2)

    def answers(result: TurnResult) -> tuple[Json, ...]:
        assert result.requests == ({"tool": "decompose_task", "arguments": steps},)
        return ({"status": "succeeded", "output": {"steps": ["item.step-1-1"]}},)

    run_turns(context, script, turn, answers)
    assert script.tools() == {"decompose_task"}
    assert "item.step-1-1" in script.told()


def test_without_steps_to_insert_there_is_no_such_tool(
    context: HandlerContext, plain: Turn
) -> None:
    steps = {"steps": [{"goal": "test it", "capabilities": []}]}
    script = Script((calls(("decompose_task", steps)), says("fine")))
    results = run_turns(context, script, plain)
    assert script.tools() == set()
    assert "unknown tool 'decompose_task'" in script.told()
    assert results[0].requests == ()


def test_a_hand_off_is_asked_of_the_engine_and_one_to_nobody_is_not(
    context: HandlerContext,
) -> None:
    asks = {"name": "coder", "task": "do it", "capabilities": []}
    nobody = {**asks, "name": "boss"}
    first = calls(("delegate_subagent", asks), ("delegate_subagent", nobody))
    script = Script((first, says("done")))
    turn = a_turn(handler_kind="agent", handler=MODEL, delegates=("coder",))

    def answers(result: TurnResult) -> tuple[Json, ...]:
        assert result.requests == ({"tool": "delegate_subagent", "arguments": asks},)
        return ({"status": "succeeded", "output": {"result": "did it"}},)

    results = run_turns(context, script, turn, answers)
    assert [result.status for result in results] == ["yields", "done"]
    assert '"did it"' in script.told()
    assert "the arguments of delegate_subagent do not fit" in script.told()


@pytest.mark.parametrize(
    ("tool", "arguments", "answer"),
    [
        ("read_file", {"path": "docs/a.md"}, "first\nsecond\n"),
        (
            "read_file",
            {"path": "docs/a.md", "first_line": 2, "lines": 1},
            "second\n(to line 2 of 3; go on with first_line 3)",
        ),
        ("list_files", {}, "docs/a.md"),
        ("list_files", {"folder": "docs"}, "docs/a.md"),
        ("search_files", {"text": "eco"}, "docs/a.md:2:second"),
        ("search_files", {"text": "third"}, "(no line holds it)"),
    ],
)
def test_what_is_read_is_in_the_next_request(
    context: HandlerContext, reading: Turn, tool: str, arguments: dict[str, object], answer: str
) -> None:
    script = Script((calls((tool, arguments)), says("fine")))
    first, last = run_turns(context, script, reading)
    assert (script.told(), last.status) == (answer, "done")
    assert first.effects == ({"tool": tool, "arguments": arguments},)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (("read_file", {"path": "src/x.py"}), "read 'src/x.py' is denied: its scope is files:docs"),
        (("read_file", {"path": "docs/../src/x.py"}), "is no path from the workspace"),
        (("read_file", {"path": "/etc/passwd"}), "is no path from the workspace"),
        (("read_file", {"path": "docs/link/passwd"}), "'docs/link/passwd' cannot be read"),
        (("read_file", {"path": "docs/none"}), "No such file or directory"),
        (("read_file", {"path": "docs"}), "is denied"),
        (("read_file", {"way": "docs/a.md"}), "the arguments of read_file do not fit"),
        (("read_file", "{"), "what read_file is called with is not JSON"),
        (("write_file", {"path": "docs/a.md", "content": ""}), "write_file is denied"),
        (("rm_rf", {}), "unknown tool 'rm_rf'; your tools: read_file"),
    ],
)
def test_a_call_beyond_the_contract_is_answered_with_why(
    context: HandlerContext, reading: Turn, call: tuple[str, object], told: str
) -> None:
    (context.workspace / "docs" / "link").symlink_to("/etc")
    script = Script((calls(call), says("fine")))
    first, last = run_turns(context, script, reading)
    assert told in script.told()
    assert (last.status, first.requests, len(first.effects)) == ("done", (), 1)
    assert (first.usage or {}).get("tool_calls", 0) <= 1


def test_a_denial_is_recorded_and_not_paid(context: HandlerContext, reading: Turn) -> None:
    script = Script((calls(("read_file", {"path": "src/x.py"})), says("fine")))
    first, _ = run_turns(context, script, reading)
    assert "denied" in first.effects[0]
    assert "tool_calls" not in (first.usage or {})


def test_a_call_with_effects_is_asked_of_the_engine(context: HandlerContext) -> None:
    arguments = {"path": "docs/a.md", "content": "new"}
    script = Script((calls(("write_file", arguments)), says("written")))
    turn = a_turn(handler_kind="agent", handler=MODEL, grant=WRITES)

    def answers(result: TurnResult) -> tuple[Json, ...]:
        assert result.requests == ({"tool": "write_file", "arguments": arguments},)
        return ({"status": "succeeded", "output": {"result": "docs/a.md"}},)

    results = run_turns(context, script, turn, answers)
    assert [result.status for result in results] == ["yields", "done"]
    assert script.told() == '{"status": "succeeded", "output": {"result": "docs/a.md"}}'
    assert not (context.workspace / "docs").exists()


def test_all_calls_of_one_response_are_answered(context: HandlerContext, reading: Turn) -> None:
    response = calls(("read_file", {"path": "docs/a.md"}), ("nothing", {}), ("list_files", {}))
    script = Script((response, says("fine")))
    run_turns(context, script, reading)
    returns = [part for part in script.asked[-1][-1].parts if isinstance(part, ToolReturnPart)]
    assert [part.tool_call_id for part in returns] == ["call-1-0", "call-1-1", "call-1-2"]


def test_requests_beside_a_result_are_handed_on_and_not_made(context: HandlerContext) -> None:
    grant = Grant(
        actions=WRITES.actions, scope=WRITES.scope, writes=WRITES.writes, outputs=("verdict",)
    )
    turn = a_turn(handler_kind="agent", handler=MODEL, grant=grant, completion=VERDICT)
    script = Script(
        (
            calls(
                ("write_file", {"path": "docs/a.md", "content": ""}),
                ("final_result", {"verdict": "approve"}),
            ),
        )
    )
    (result,) = run_turns(context, script, turn)
    assert (result.status, [r["tool"] for r in result.requests]) == ("done", ["write_file"])


def test_an_unanswered_call_does_not_break_the_talk(context: HandlerContext) -> None:
    script = Script((calls(("write_file", {"path": "docs/a", "content": ""})), says("fine")))
    turn = a_turn(handler_kind="agent", handler=MODEL, grant=WRITES)
    assert outcome(run_turns(context, script, turn))[0] == "done"
    assert "nobody answered this call" in script.told()


def test_a_workspace_that_is_searched_is_not_left(context: HandlerContext, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    (outside / "secret.md").write_text("needle", "utf-8")
    (context.workspace / "docs").mkdir()
    (context.workspace / "docs" / "way").symlink_to(outside)
    script = Script((calls(("search_files", {"text": "needle"})), says("fine")))
    run_turns(context, script, a_turn(handler_kind="agent", handler=MODEL, grant=READS))
    assert script.told() == "(no line holds it)"


@pytest.mark.parametrize(
    ("tool", "grant", "needed"),
    [
        ("write_file", READS, {"action": "file-write"}),
        ("write_file", WRITES, {"action": "file-write", "key": "tools"}),
        ("delegate_subagent", READS, {"action": "delegate"}),
        ("fly", READS, {}),
    ],
)
def test_a_denial_says_what_a_tool_takes_that_is_not_shown(
    plain: Turn, tool: str, grant: Grant, needed: dict[str, str]
) -> None:
    assert withheld(tool, replace(plain, grant=grant)) == needed
