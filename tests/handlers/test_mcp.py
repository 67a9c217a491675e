"""Tools of MCP servers: granted ones are called, within the scope; bad servers are outcomes."""

import asyncio
import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forge_cli.handlers import create
from forge_cli.handlers.context import HandlerContext, Stopped
from forge_cli.multiagent.plan import Grant
from forge_cli.multiagent.turn import Turn, TurnResult
from forge_cli.testing import a_turn

SERVER = Path(__file__).parents[1] / "gateway" / "data" / "tool_server.py"
LOOK = {"tool": "look", "capability": "read", "actions": ["file-read"], "scope_args": []}
CHANGE = {"tool": "change", "capability": "write", "actions": ["file-write"], "scope_args": []}

Call = Callable[..., TurnResult]


def calling(
    behaviour: str, *words: str, outputs: tuple[str, ...] = ("result",), **fields: Any
) -> Turn:
    """A turn of a server that behaves so, whose grant has these capabilities: `read` if none."""
    inputs = fields.pop("inputs", {"path": "docs/a.md"})
    grant = Grant(
        capabilities=frozenset(words or ("read",)), scope=("files:docs/**",), outputs=outputs
    )
    server = {"argv": [sys.executable, str(SERVER), behaviour], **fields.pop("server", {})}
    tools = fields.pop("tools", [LOOK, CHANGE])
    config = {"server": server, "tools": tools}
    return a_turn(handler_kind="mcp", handler=config, grant=grant, inputs=inputs, **fields)


@pytest.fixture
def call(context: HandlerContext) -> Call:
    """Make turns one after the other with one handler; the last one's result."""

    def call(*turns: Turn) -> TurnResult:
        async def main() -> TurnResult:
            handler = create(["mcp"], context)["mcp"]
            for turn in turns:
                result = await asyncio.wait_for(handler.run(turn), 30)
            await handler.close()
            return result

        return asyncio.run(main())

    return call


@pytest.mark.parametrize("behaviour", ["fine", "old", "modern", "garbage"])
def test_the_granted_tool_is_called_with_the_inputs(call: Call, behaviour: str) -> None:
    result = call(calling(behaviour))
    assert (result.status, result.message) == ("done", "")
    assert result.output == {"result": 'look {"path": "docs/a.md"}'}
    assert result.usage == {"tool_calls": 1}


def test_what_was_called_is_recorded_with_the_digest_of_its_result(call: Call) -> None:
    (record,) = call(calling("fine")).effects
    assert record.pop("result").startswith("sha256:")
    assert record == {"tool": "role/look", "arguments": {"path": "docs/a.md"}}


def test_a_structured_result_with_the_keys_of_the_outputs_is_the_outputs(call: Call) -> None:
    assert call(calling("structured")).output == {"result": [1, 2]}


def test_any_other_structured_result_is_the_one_output(call: Call) -> None:
    assert call(calling("structured", outputs=("all",))).output == {"all": {"result": [1, 2]}}


@pytest.mark.parametrize(
    ("behaviour", "said"), [("structured", "an object with result"), ("fine", "a text")]
)
def test_a_result_without_the_outputs_is_no_output(call: Call, behaviour: str, said: str) -> None:
    result = call(calling(behaviour, outputs=("a", "b")))
    assert (result.status, result.kind) == ("failed", "invalid-output")
    assert result.message == f"the tool answered {said}, and the outputs are a, b"


@pytest.mark.parametrize(
    ("words", "told"), [(("other",), "no tool"), (("read", "write"), "look, change")]
)
def test_a_grant_that_does_not_stand_for_one_tool_calls_none(
    call: Call, words: tuple[str, ...], told: str
) -> None:
    result = call(calling("fine", *words))
    assert (result.status, result.usage) == ("failed", {"tool_calls": 0})
    assert f"its grant stands for {told};" in result.message


def test_an_argument_beyond_the_scope_is_denied_recorded_and_not_paid(call: Call) -> None:
    tools = [{**LOOK, "scope_args": ["path"]}]
    result = call(calling("fine", tools=tools, inputs={"path": "secret.txt"}))
    reason = "path 'secret.txt' is denied: its scope is files:docs/**"
    assert (result.status, result.message) == ("failed", reason)
    assert result.usage == {"tool_calls": 0}
    assert [effect["denied"] for effect in result.effects] == [reason]
    (effect,) = result.effects
    assert (effect["action"], effect["touches"]) == ("file-read", "files:secret.txt")


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        ("huge", "it sent over 16777216 bytes in answer to one request"),
        ("floods", "it sent over 16777216 bytes in answer to one request"),
        ("dies", "it ended with exit status 3, after it said: the disk is full"),
        ("refuses", "it ended with exit status 1, after it said: no licence"),
        ("lies", "its result is not as it says: n: 'one' is not of type 'number'"),
        ("fails", "no such file"),
        ("twice", "it lists two tools of one name"),
        ("endless", "it lists its tools on over 50 pages"),
        ("lacks", "it has no tool 'look'; it lists change, secret"),
    ],
)
def test_a_bad_server_is_an_outcome(call: Call, behaviour: str, message: str) -> None:
    result = call(calling(behaviour))
    assert (result.status, result.kind, result.message) == ("failed", "error", message)


def test_an_answer_that_is_none_is_told_with_what_is_wrong(call: Call) -> None:
    message = call(calling("shapeless")).message
    assert message.startswith("its answer is none that the protocol knows: ")
    assert "content: Field required" in message


def test_a_server_that_changes_a_tool_in_mid_run_is_denied(call: Call) -> None:
    result = call(calling("changes"), calling("changes"))
    assert result.message == "it is denied: the server describes it otherwise than at first"
    assert result.usage == {"tool_calls": 0}


def test_numbers_that_are_not_exact_are_no_output(call: Call) -> None:
    result = call(calling("inexact"))
    assert (result.status, result.kind) == ("failed", "invalid-output")


def test_arguments_that_the_tool_does_not_take_are_not_sent(call: Call) -> None:
    result = call(calling("fine", inputs={"file": "a"}))
    assert "its arguments do not fit" in result.message
    assert result.usage == {"tool_calls": 0}


def test_a_server_may_not_ask_for_a_model(call: Call) -> None:
    assert call(calling("asks")).output == {"result": '"Sampling not supported"'}


def test_its_environment_is_the_allowed_one_and_its_own(call: Call) -> None:
    output = call(calling("environment", server={"env": {"LEVEL": "1"}})).output
    assert output is not None
    assert '"LEVEL"' in output["result"]
    assert "TOKEN" not in output["result"]


def test_a_secret_of_the_server_is_masked_in_what_it_answers(call: Call) -> None:
    result = call(calling("fine", inputs={"path": "canary-41f7c2"}))
    assert result.output == {"result": 'look {"path": "***"}'}
    assert result.effects[0]["arguments"] == {"path": "***"}


def test_a_server_that_never_answers_is_stopped_with_its_whole_tree(
    context: HandlerContext,
) -> None:
    async def main() -> None:
        handler = create(["mcp"], context)["mcp"]
        running = asyncio.ensure_future(handler.run(calling("silent")))
        asked = context.workspace / "asked"
        while not asked.exists():
            await asyncio.sleep(0.01)
        running.cancel()
        with pytest.raises(Stopped) as raised:
            await asyncio.wait_for(running, 30)
        assert raised.value.result.usage == {"tool_calls": 1}
        with pytest.raises(ProcessLookupError):
            os.kill(int(asked.read_text()), 0)
        await handler.close()

    asyncio.run(main())


def test_a_program_that_is_not_there_is_an_outcome(call: Call) -> None:
    result = call(calling("fine", server={"argv": ["no-such-server"]}))
    assert "program 'no-such-server' is not on PATH" in result.message
    assert result.usage == {"tool_calls": 0}


def test_an_address_beyond_the_scope_is_not_connected_to(call: Call) -> None:
    turn = calling("fine")
    config = {**turn.handler, "server": {"url": "http://127.0.0.1:9/mcp"}}
    result = call(a_turn(handler=config, grant=turn.grant))
    assert result.message == (
        "its server failed: its address 'http://127.0.0.1:9/mcp' is denied:"
        " its scope is files:docs/**"
    )


@pytest.mark.parametrize(
    ("actions", "granted"),
    [
        (["tool:logs/look"], True),
        (["network", "tool:logs/look", "tool:logs/other"], True),
        (["tool:logs/other"], False),
        (["network", "tool:logs/other"], False),
        ([], False),
    ],
)
def test_a_word_that_does_not_allow_the_tool_grants_none(
    call: Call, actions: list[str], granted: bool
) -> None:
    result = call(calling("fine", tools=[{**LOOK, "actions": actions}]))
    assert (result.status == "done") == granted
    assert granted or "its grant stands for no tool" in result.message


def test_a_checked_argument_that_is_left_out_is_denied(call: Call) -> None:
    result = call(calling("fine", tools=[{**LOOK, "scope_args": ["path"]}], inputs={}))
    assert result.message == "it is denied: without 'path' it does not say what it reaches"


def test_an_items_own_variables_are_in_the_servers_environment(call: Call) -> None:
    turn = calling("environment", server={"env": {"LEVEL": "1"}})
    own = {**turn.handler, "env": {"DEPTH": "2"}, "secrets": ["TOKEN"]}
    output = call(replace(turn, handler=own)).output
    assert output is not None
    assert {"LEVEL", "DEPTH", "TOKEN"} <= set(json.loads(output["result"]))
