"""Tools of MCP servers that agents are shown: granted ones, within the scope."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.models.function import FunctionModel

from forge_cli.handlers import agent_servers
from forge_cli.handlers.agent import AgentHandler
from forge_cli.handlers.agent_models import Opened
from forge_cli.handlers.agent_servers import AgentServers
from forge_cli.handlers.context import HandlerContext, Stopped
from forge_cli.handlers.mcp_servers import Doors
from forge_cli.multiagent.plan import Grant
from forge_cli.multiagent.turn import Turn, TurnResult
from forge_cli.testing import a_turn
from tests.handlers.agents import MODEL, Script, calls, run_turns, says

SERVER = Path(__file__).parents[1] / "gateway" / "data" / "tool_server.py"
LOOK = {"tool": "look", "capability": "look", "actions": ["file-read"], "scope_args": ["path"]}
CHANGE = {"tool": "change", "capability": "change", "actions": ["file-write"], "scope_args": []}
DOCS = {"path": "docs/a.md"}


def using(behaviour: str, *words: str, tools: list[str] | None = None, **fields: Any) -> Turn:
    """A turn of an agent with the server `small` and these capabilities, `look` if none."""
    server = {"argv": [sys.executable, str(SERVER), behaviour]}
    handler = {**MODEL, "servers": {"small": {"server": server, "tools": [LOOK, CHANGE]}}}
    if tools is not None:
        handler["tools"] = tools
    grant = Grant(frozenset(words or ("look",)), scope=("files:docs/**",), outputs=("result",))
    return a_turn(handler_kind="agent", handler=handler, grant=grant, **fields)


def is_there(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


@pytest.mark.parametrize(
    ("words", "tools", "shown"),
    [
        (("look", "change"), None, {"small__look", "small__change"}),
        (("look",), ["tool:small/look"], {"small__look"}),
        (("look",), ["read_file"], set()),
        (("change",), None, {"small__change"}),
    ],
)
def test_granted_tools_are_shown(
    context: HandlerContext, words: tuple[str, ...], tools: list[str] | None, shown: set[str]
) -> None:
    script = Script((says("fine"),))
    run_turns(context, script, using("fine", *words, tools=tools))
    assert script.tools() == shown


def test_what_a_server_answers_is_in_the_next_request_and_on_record(
    context: HandlerContext,
) -> None:
    script = Script((calls(("small__look", DOCS)), says("fine")))
    first, last = run_turns(context, script, using("fine"))
    assert (script.told(), last.output) == ('look {"path": "docs/a.md"}', {"result": "fine"})
    (record,) = first.effects
    assert record.pop("result").startswith("sha256:")
    assert record == {"tool": "small/look", "arguments": DOCS}
    assert first.usage is not None
    assert first.usage["tool_calls"] == 1


def test_a_call_beyond_the_scope_is_answered_recorded_and_not_paid(
    context: HandlerContext,
) -> None:
    script = Script((calls(("small__look", {"path": "../x"})), says("fine")))
    first, _ = run_turns(context, script, using("fine"))
    assert "is denied" in script.told()
    assert "is denied" in first.effects[0]["denied"]
    assert first.usage is not None
    assert "tool_calls" not in first.usage


@pytest.mark.parametrize(
    ("words", "tools", "needed"),
    [
        (("look",), None, {"action": "file-write", "capability": "change"}),
        (("look", "change"), ["tool:small/look"], {"action": "file-write", "key": "tools"}),
    ],
)
def test_a_declared_tool_beyond_the_contract_is_denied(
    context: HandlerContext, words: tuple[str, ...], tools: list[str] | None, needed: dict[str, str]
) -> None:
    script = Script((calls(("small__change", {})), says("fine")))
    first, _ = run_turns(context, script, using("fine", *words, tools=tools))
    reason = "small__change is denied: it is not in your contract"
    assert script.told() == reason
    assert first.effects == ({"tool": "small__change", "denied": reason, **needed},)


def test_a_tool_that_is_not_declared_is_unknown(context: HandlerContext) -> None:
    script = Script((calls(("small__secret", {})), says("fine")))
    run_turns(context, script, using("fine"))
    assert script.told() == "unknown tool 'small__secret'; your tools: small__look"


def test_a_call_that_may_change_something_is_asked_of_the_engine(context: HandlerContext) -> None:
    script = Script((calls(("small__change", DOCS)), says("fine")))
    first, _ = run_turns(context, script, using("fine", "change"))
    assert first.requests == ({"tool": "small/change", "arguments": DOCS},)
    assert first.effects == ()


def test_no_more_calls_are_made_than_the_turn_may(context: HandlerContext) -> None:
    script = Script((calls(("small__look", DOCS), ("small__look", DOCS)), says("fine")))
    first, _ = run_turns(context, script, using("fine", budget={"tool_calls": 1}))
    assert script.told().splitlines()[1] == "it is not called: this turn may call 1 tools"
    assert first.usage is not None
    assert first.usage["tool_calls"] == 1


def test_a_tool_that_is_described_otherwise_in_the_next_turn_is_not_shown(
    context: HandlerContext,
) -> None:
    script = Script((calls(("small__look", DOCS)), says("fine")))
    run_turns(context, script, using("changes"))
    assert script.told() == "it is denied: the server describes it otherwise than at first"
    assert script.tools() == set()


def test_what_a_turn_did_until_it_was_stopped_is_on_record_and_paid(
    context: HandlerContext,
) -> None:
    asked = ("small__look", {"path": "../x"}), ("small__look", DOCS)
    script = Script((calls(*asked),))

    async def main() -> TurnResult:
        handler = AgentHandler(context, lambda config, env: Opened(FunctionModel(script)))
        running = asyncio.ensure_future(handler.run(using("silent")))
        while not (context.workspace / "asked").exists():
            await asyncio.sleep(0.01)
        running.cancel()
        with pytest.raises(Stopped) as raised:
            await running
        await handler.close()
        return raised.value.result

    result = asyncio.run(main())
    denied, cut_off = result.effects
    assert denied["action"] == "file-read"
    assert cut_off["failed"] == "it was cut off before it was answered"
    assert result.usage is not None
    assert {"model_calls": 1, "tokens": 110, "tool_calls": 1}.items() <= result.usage.items()


def test_no_server_stays_when_a_turn_is_stopped_before_all_are_there(
    context: HandlerContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    stands: list[str] = []

    @asynccontextmanager
    async def opened(doors: Doors, label: str, *others: object) -> AsyncIterator[None]:
        if label == "late":
            await asyncio.Event().wait()
        stands.append(label)
        try:
            yield
        finally:
            stands.remove(label)

    monkeypatch.setattr(Doors, "open", opened)
    turn = using("fine")
    both = {**turn.handler["servers"], "late": turn.handler["servers"]["small"]}

    async def main() -> None:
        servers = AgentServers(context)
        handler = {**turn.handler, "servers": both}
        asked = asyncio.ensure_future(servers.tools(replace(turn, handler=handler)))
        while not stands:
            await asyncio.sleep(0)
        asked.cancel()
        await asyncio.wait([asked])
        assert asked.cancelled()
        assert stands == []

    asyncio.run(main())


def test_one_server_serves_all_turns_of_an_attempt(context: HandlerContext) -> None:
    script = Script((calls(("small__look", DOCS)), calls(("small__look", DOCS)), says("fine")))
    run_turns(context, script, using("counts"))
    first, second = (script.told(request).splitlines()[-1] for request in (1, 2))
    assert first == second


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [("refuses", "it ended with exit status 1, after it said: no licence"), ("twice", "two tools")],
)
def test_a_server_that_cannot_be_used_fails_the_turn_before_a_model_is_asked(
    context: HandlerContext, behaviour: str, words: str
) -> None:
    script = Script((says("fine"),))
    (only,) = run_turns(context, script, using(behaviour))
    assert (only.status, only.kind, only.usage, script.asked) == ("failed", "error", {}, [])
    assert only.message.startswith("its server 'small' cannot be used: ")
    assert words in only.message


def test_a_program_that_is_not_there_is_told(context: HandlerContext) -> None:
    turn = using("fine")
    missing = {"small": {"server": {"argv": ["no-such-server"]}, "tools": [LOOK]}}
    script = Script((says("fine"),))
    (only,) = run_turns(context, script, replace(turn, handler={**MODEL, "servers": missing}))
    assert "program 'no-such-server' is not on PATH" in only.message


def test_long_answers_are_cut(context: HandlerContext) -> None:
    script = Script((calls(("small__look", DOCS)), says("fine")))
    run_turns(context, script, using("long"))
    assert script.told().endswith("\n(the rest is left out: 100000 characters in all)")


def test_arguments_that_are_no_object_are_asked_for_again(context: HandlerContext) -> None:
    script = Script((calls(("small__look", "[1]")), says("fine")))
    run_turns(context, script, using("fine"))
    assert script.told() == "the arguments of small__look must be an object"


def test_tools_that_would_be_shown_alike_fail_the_turn(context: HandlerContext) -> None:
    turn = using("alike")
    small = turn.handler["servers"]["small"]
    tools = [{**LOOK, "tool": name} for name in ("get.user", "get_user")]
    config = {**turn.handler, "servers": {"small": {**small, "tools": tools}}}
    (only,) = run_turns(context, Script((says("fine"),)), replace(turn, handler=config))
    assert (
        "its tools 'small/get.user' and 'small/get_user' would both be shown as 'small__get_user'"
    ) in only.message


def test_only_servers_of_attempts_between_two_turns_make_room(
    context: HandlerContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_servers, "KEPT", 1)
    turns = [replace(using("counts"), attempt_id=name) for name in "abc"]

    async def main() -> tuple[list[str], list[str]]:
        servers = AgentServers(context)

        async def asked() -> list[str]:
            found = [(await servers.tools(turn))["small__look"] for turn in turns]
            return [(await each.call(DOCS)).text for each in found]

        before = await asked()
        assert await asked() == before
        await servers.rest(turns[0])
        await servers.rest(turns[1])
        after = await asked()
        await servers.close()
        return before, after

    before, after = asyncio.run(main())
    assert [one == other for one, other in zip(before, after, strict=True)] == [False, True, True]


def test_no_server_stays_for_an_item_that_has_paused_or_ended(context: HandlerContext) -> None:
    turns = [replace(using("counts"), item_id=f"item-{name}", attempt_id=name) for name in "ab"]

    async def main() -> list[bool]:
        servers = AgentServers(context)

        async def asked() -> list[str]:
            found = [(await servers.tools(turn))["small__look"] for turn in turns]
            return [(await each.call(DOCS)).text for each in found]

        before = await asked()
        for turn in turns:
            await servers.rest(turn)
        for leave in context.leave:
            leave("item-a")
        while is_there(int(before[0])):
            await asyncio.sleep(0.01)
        after = await asked()
        await servers.close()
        assert not any(is_there(int(each)) for each in (*before, *after))
        return [one == other for one, other in zip(before, after, strict=True)]

    assert asyncio.run(main()) == [False, True]


def test_what_a_server_first_said_to_one_handler_holds_for_every_other(
    context: HandlerContext,
) -> None:
    turn = using("changes")
    config = turn.handler["servers"]["small"]

    async def shown() -> list[str]:
        async with Doors(context).open("small", config, turn.grant) as proxy:
            return [tool.name for tool in await proxy.visible()]

    assert [asyncio.run(shown()) for _ in range(2)] == [["look"], []]
