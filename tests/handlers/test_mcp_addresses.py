"""Servers at an address: spoken to over HTTP, within the scope, and no more taken than is due."""

import asyncio
import contextlib
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from forge_cli.multiagent.plan import Grant
from forge_cli.multiagent.turn import TurnResult
from forge_cli.testing import a_turn, opened

SERVER = """
import sys
import uvicorn
from mcp.server.mcpserver import MCPServer
from starlette.middleware.gzip import GZipMiddleware

server = MCPServer("pages")


@server.tool()
def show(page: str) -> str:
    return "x" * 100_000_000 if page == "huge" else f"the page {page}"


app = server.streamable_http_app(json_response=True)
if sys.argv[2] == "coded":

    async def forced(scope, receive, send, inner=GZipMiddleware(app)):
        headers = [each for each in scope.get("headers", ()) if each[0] != b"accept-encoding"]
        await inner({**scope, "headers": [*headers, (b"accept-encoding", b"gzip")]}, receive, send)

    app = forced
uvicorn.run(app, port=int(sys.argv[1]), log_level="error")
"""


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Where a server listens that was made with the library."""
    with listening("plain") as found:
        yield found


@contextlib.contextmanager
def listening(coding: str) -> Iterator[int]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        found: int = probe.getsockname()[1]
    with subprocess.Popen([sys.executable, "-c", SERVER, str(found), coding]) as server:
        until = time.monotonic() + 60
        while not listens(found):
            assert server.poll() is None
            assert time.monotonic() < until
        yield found
        server.terminate()


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def call(tmp_path: Path, port: int, page: str, scope: str) -> TurnResult:
    tool = {"tool": "show", "capability": "read", "actions": ["file-read"], "scope_args": []}
    config = {"server": {"url": f"http://127.0.0.1:{port}/mcp"}, "tools": [tool]}
    grant = Grant(frozenset({"read"}), scope=(scope,), outputs=("result",))
    turn = a_turn(handler_kind="mcp", handler=config, grant=grant, inputs={"page": page})

    async def main() -> TurnResult:
        async with opened("mcp", tmp_path) as bench:
            return await bench.run(turn)

    return asyncio.run(main())


def test_a_tool_behind_an_address_within_the_scope_is_called(tmp_path: Path, port: int) -> None:
    result = call(tmp_path, port, "first", f"net:127.0.0.1:{port}")
    assert (result.message, result.output) == ("", {"result": "the page first"})
    assert result.usage == {"tool_calls": 1}


def test_another_port_is_beyond_it(tmp_path: Path, port: int) -> None:
    result = call(tmp_path, port, "first", "net:127.0.0.1:1")
    assert "is denied: its scope is net:127.0.0.1:1" in result.message


def test_more_than_is_taken_is_an_outcome(tmp_path: Path, port: int) -> None:
    result = call(tmp_path, port, "huge", f"net:127.0.0.1:{port}")
    assert result.message == "it sent over 16777216 bytes in answer to one request"


def test_what_would_grow_when_it_is_decoded_is_not_taken(tmp_path: Path) -> None:
    with listening("coded") as port:
        result = call(tmp_path, port, "huge", f"net:127.0.0.1:{port}")
    assert result.message == "it sent 'gzip', and was asked for 'identity'"


def test_an_address_where_nobody_listens_is_an_outcome(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        free = probe.getsockname()[1]
    result = call(tmp_path, free, "first", f"net:127.0.0.1:{free}")
    assert (result.status, result.kind) == ("failed", "error")
    assert result.message.startswith("it cannot be talked to: ")
