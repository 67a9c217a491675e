"""Lines of somebody who started forge are answered with lines, until they end."""

import asyncio
import json
import os
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp.server.lowlevel import Server

from forge_cli.gateway import tool_service
from forge_cli.gateway.tool_service import serve
from forge_cli.gateway.tool_transport import MOST

CLIENT = {"name": "agent", "version": "1"}
START = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": CLIENT}
PING = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
GREETING = [
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": START},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]


def text(*messages: Any) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in messages)


def served(source: int, target: int) -> None:
    server: Server[Any] = Server("forge")
    asyncio.run(asyncio.wait_for(serve(server, source, target), 30))


def answers(folder: Path, said: bytes) -> list[dict[str, Any]]:
    """What is answered, into a file, to lines that come from one."""
    (folder / "said").write_bytes(said)
    source = os.open(folder / "said", os.O_RDONLY)
    target = os.open(folder / "told", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    served(source, target)
    os.close(source)
    os.close(target)
    return [json.loads(line) for line in (folder / "told").read_bytes().splitlines()]


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        (b"not json", (None, -32700)),
        (b"[" * 5_000, (None, -32700)),
        (b"[]", (None, -32600)),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', (None, -32600)),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', (None, -32600)),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', (None, -32600)),
        (b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}', (None, -32600)),
        (b'{"jsonrpc": "2.0", "id": "a", "method": 1}', ("a", -32600)),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "\xff"}', (None, -32700)),
    ],
)
def test_a_line_that_is_no_message_has_an_error_for_an_answer(
    tmp_path: Path, line: bytes, answer: tuple[Any, int]
) -> None:
    (found,) = answers(tmp_path, line + b"\n")
    assert (found["id"], found["error"]["code"]) == answer


def test_what_cannot_be_read_has_ended(tmp_path: Path) -> None:
    folder = os.open(tmp_path, os.O_RDONLY)
    target = os.open(os.devnull, os.O_WRONLY)
    served(folder, target)
    os.close(folder)
    os.close(target)


def between(pipes: Callable[[int, int], Awaitable[None]]) -> None:
    """A service whose lines come through one pipe and are answered through another."""
    source, asks = os.pipe()
    hears, target = os.pipe()
    os.set_blocking(target, False)

    async def main() -> None:
        server: Server[Any] = Server("forge")
        serving = asyncio.ensure_future(serve(server, source, target))
        await pipes(asks, hears)
        await asyncio.wait_for(serving, 30)

    asyncio.run(main())
    for each in (source, target):
        os.close(each)


async def _at_once(target: int) -> None:
    """What is found where others write into the same pipe in between."""
    await asyncio.sleep(0)


@pytest.mark.parametrize("shared", [False, True])
def test_requests_are_answered_also_to_who_reads_late(
    monkeypatch: pytest.MonkeyPatch, shared: bool
) -> None:
    if shared:
        monkeypatch.setattr(tool_service, "_writable", _at_once)
    pings = [{**PING, "id": number} for number in range(2, 3_000)]

    async def talk(asks: int, hears: int) -> None:
        def write() -> None:
            rest = text(*GREETING) + b"\n" + text(*pings)
            while rest:
                rest = rest[os.write(asks, rest) :]

        def read() -> list[int]:
            with os.fdopen(hears, "rb") as file:
                return [json.loads(file.readline())["id"] for _ in range(len(pings) + 1)]

        await asyncio.to_thread(write)
        assert sorted(await asyncio.to_thread(read)) == list(range(1, 3_000))
        os.close(asks)

    between(talk)


def test_a_line_that_is_too_long_is_told_and_the_next_is_read_right(tmp_path: Path) -> None:
    long = b'{"jsonrpc": "2.0", "id": 3, "method": "' + b"x" * MOST + b'"}\n'
    told, greeted = answers(tmp_path, long + text(GREETING[0]))
    assert told["error"] == {"code": -32600, "message": f"the line has over {MOST} bytes"}
    assert (told["id"], greeted["id"]) == (None, 1)


def test_who_reads_no_more_ends_nothing_but_the_answers() -> None:
    async def talk(asks: int, hears: int) -> None:
        os.close(hears)
        await asyncio.to_thread(os.write, asks, text(*GREETING, PING))
        os.close(asks)

    between(talk)


def test_lines_that_come_when_the_loop_has_ended_reach_nobody() -> None:
    source, asks = os.pipe()
    target = os.open(os.devnull, os.O_WRONLY)

    async def main() -> None:
        server: Server[Any] = Server("forge")
        serving = asyncio.ensure_future(serve(server, source, target))
        while not any("_read" in thread.name for thread in threading.enumerate()):
            await asyncio.sleep(0)
        serving.cancel()
        await asyncio.wait([serving])

    asyncio.run(main())
    (reader,) = [thread for thread in threading.enumerate() if "_read" in thread.name]
    os.write(asks, text(PING))
    os.close(asks)
    reader.join(30)
    assert not reader.is_alive()
    os.close(source)
    os.close(target)
