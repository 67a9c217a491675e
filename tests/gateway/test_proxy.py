"""What one contract lets its holder see and call of a server."""

import asyncio
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from mcp_types import CallToolResult, TextContent, Tool

from forge_cli.gateway.pins import Pins
from forge_cli.gateway.proxy import Answered, Declared, Proxy
from forge_cli.gateway.reach import Reach
from forge_cli.gateway.tool_server import ServerError
from forge_cli.multiagent.grants import Grant
from forge_cli.multiagent.terms import Json

LOOK = Declared("look", "read", frozenset({"file-read"}), ("from", "to"), "")
CHANGE = Declared("change", "write", frozenset({"file-read", "file-write"}), (), "")
READER = Grant(frozenset({"read"}), scope=("files:docs/**",))


class Server:
    """A server of two tools; `says` is the structured content of all that it answers."""

    def __init__(self) -> None:
        self.says: Any = None
        self.described = "look at it"
        self.called: list[str] = []
        self.fails = ""
        self.takes: dict[str, Any] = {}
        self.is_there = True

    async def tools(self) -> list[Tool]:
        if not self.is_there:
            raise ServerError("it ended")
        schema = {"type": "object", "properties": self.takes}
        look = Tool(name="look", description=self.described, input_schema=schema)
        return [look, Tool(name="change", description="change it", input_schema=schema)]

    async def call(self, name: str, arguments: Mapping[str, Json]) -> CallToolResult:
        self.called.append(name)
        content: list[Any] = [TextContent(type="text", text=self.fails or "fine")]
        failed = bool(self.fails)
        return CallToolResult(content=content, structured_content=self.says, is_error=failed)


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def proxy(server: Server, tmp_path: Path) -> Proxy:
    return Proxy("role", "key", server, [LOOK, CHANGE], READER, tmp_path, Pins())


def call(proxy: Proxy, name: str, **arguments: Json) -> Answered:
    return asyncio.run(proxy.call(name, arguments))


def seen(proxy: Proxy) -> Sequence[str]:
    return [tool.name for tool in asyncio.run(proxy.visible())]


def test_only_granted_tools_are_seen_and_only_as_they_were_at_first(
    proxy: Proxy, server: Server
) -> None:
    assert seen(proxy) == ["look"]
    server.described = "look at it, and tell everybody"
    assert seen(proxy) == []


def test_a_tool_that_is_not_granted_never_reaches_the_server(proxy: Proxy, server: Server) -> None:
    answer = call(proxy, "change\x1b")
    assert (answer.decision, answer.called, server.called) == ("denied", False, [])
    assert answer.text == "'change\\x1b' is denied: the tools of its contract are look"
    assert (answer.record["action"], answer.record["key"]) == ("tool", "tools")


def test_what_the_tool_does_not_take_is_told_before_it_is_looked_at_what_it_reaches(
    proxy: Proxy, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Reach, "refusal", lambda *_: pytest.fail("it was looked at"))
    server.takes = {"to": {"type": "string"}}
    answer = call(proxy, "look", **{"from": "/etc", "to": 1})
    assert (answer.decision, answer.called, server.called) == ("failed", False, [])
    assert answer.text.startswith("its arguments do not fit: to: ")


def test_each_checked_argument_is_held_against_the_scope(proxy: Proxy, server: Server) -> None:
    arguments: dict[str, Json] = {"from": "docs/a", "to": "docs/b"}
    assert call(proxy, "look", **arguments).decision == "done"
    answer = call(proxy, "look", **arguments | {"to": "src/b"})
    assert answer.text == "to 'src/b' is denied: its scope is files:docs/**"
    assert server.called == ["look"]


def test_what_is_beyond_the_scope_is_told_as_that_also_where_there_is_no_server(
    proxy: Proxy, server: Server
) -> None:
    server.is_there = False
    beyond = call(proxy, "look", **{"from": "docs/a", "to": "src/b"})
    assert (beyond.decision, beyond.record["touches"]) == ("denied", "files:src/b")
    within = call(proxy, "look", **{"from": "docs/a", "to": "docs/b"})
    assert (within.decision, within.text, within.called) == ("failed", "it ended", False)


def test_a_denial_says_what_capability_the_tool_takes(proxy: Proxy, server: Server) -> None:
    needed = {"action": "file-read", "capability": "read"}
    answers = [
        call(proxy, "look", **{"from": "docs/a"}),
        call(proxy, "look", **{"from": "docs/a", "to": "../b"}),
    ]
    seen(proxy)
    server.described = "look at it, and tell everybody"
    answers.append(call(proxy, "look", **{"from": "docs/a", "to": "docs/b"}))
    for answer in answers:
        assert answer.decision == "denied"
        assert {key: answer.record.get(key) for key in (*needed, "touches")} == {
            **needed,
            "touches": None,
        }
    assert server.called == []


def test_the_words_of_an_error_are_cut(proxy: Proxy, server: Server) -> None:
    server.fails = "no " * 5_000_000
    answer = call(proxy, "look", **{"from": "docs/a", "to": "docs/b"})
    assert (answer.decision, len(answer.text)) == ("failed", 300)
    assert len(str(answer.record)) < 1_000


def test_others_go_on_while_it_is_looked_at_what_a_call_reaches(
    proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on, looked = threading.Event(), threading.Event()

    def refusal(reach: Reach, value: Json) -> None:
        looked.set()
        assert goes_on.wait(timeout=30)

    monkeypatch.setattr(Reach, "refusal", refusal)

    async def main() -> Answered:
        arguments: dict[str, Json] = {"from": "docs/a", "to": "docs/b"}
        asked = asyncio.ensure_future(proxy.call("look", arguments))
        while not looked.is_set():
            await asyncio.sleep(0)
        goes_on.set()
        return await asked

    assert asyncio.run(main()).decision == "done"


def test_an_answer_that_json_has_no_form_for_is_a_failure_that_is_paid(
    proxy: Proxy, server: Server
) -> None:
    server.says = {"n": float("nan")}
    answer = call(proxy, "look", **{"from": "docs/a", "to": "docs/b"})
    assert (answer.decision, answer.called) == ("failed", True)
    assert answer.text.startswith("what it sent is not I-JSON: ")


@pytest.mark.parametrize(("tool", "reads_only"), [(LOOK, True), (CHANGE, False)])
def test_a_tool_whose_capability_lets_it_change_something_does_not_only_read(
    tool: Declared, reads_only: bool
) -> None:
    assert tool.reads_only is reads_only
