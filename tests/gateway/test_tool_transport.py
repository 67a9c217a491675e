"""A server that is a program: it gets all that is sent, and is left whatever it does."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from forge_cli.gateway.processes import Processes, Program
from forge_cli.gateway.secrets import Redactor
from forge_cli.gateway.tool_server import ServerError, ToolServer
from forge_cli.gateway.tool_transport import ProgramTransport

SMALL = Path(__file__).parent / "data" / "tool_server.py"
SECONDS = 30


def use(folder: Path, argv: list[str], scenario: Callable[[ToolServer], Awaitable[None]]) -> None:
    async def main() -> None:
        processes = Processes()
        environment = {"PATH": os.environ["PATH"]}
        program = Program(argv[0], argv, environment, str(folder), grace=0.1)
        server = ToolServer(ProgramTransport(processes, program, Redactor({})), Redactor({}))
        try:
            await asyncio.wait_for(scenario(server), SECONDS)
        finally:
            await server.close()
            processes.close()

    asyncio.run(main())


def test_a_server_that_was_asked_for_nothing_was_never_there(tmp_path: Path) -> None:
    async def scenario(server: ToolServer) -> None:
        await server.close()

    use(tmp_path, [str(tmp_path / "missing")], scenario)


def test_one_that_cannot_be_started_is_told_with_its_path(tmp_path: Path) -> None:
    async def scenario(server: ToolServer) -> None:
        with pytest.raises(ServerError, match=r"^it did not start: No such file .*: /.*/missing$"):
            await server.tools()

    use(tmp_path, [str(tmp_path / "missing")], scenario)


def test_more_than_a_pipe_holds_is_sent_whole(tmp_path: Path) -> None:
    async def scenario(server: ToolServer) -> None:
        result = await server.call("look", {"path": "x" * 1_000_000})
        assert "x" * 1_000_000 in str(result.content[0])

    use(tmp_path, [sys.executable, str(SMALL), "fine"], scenario)


def test_one_that_reads_nothing_is_left_when_it_ends(tmp_path: Path) -> None:
    script = "exec <&-; echo > closed; read x < go; exit 3"
    os.mkfifo(tmp_path / "closed")
    os.mkfifo(tmp_path / "go")

    async def scenario(server: ToolServer) -> None:
        asked = asyncio.ensure_future(server.tools())
        await asyncio.to_thread((tmp_path / "closed").read_text)
        await asyncio.to_thread((tmp_path / "go").write_text, "on\n")
        with pytest.raises(ServerError, match="it ended with exit status 3"):
            await asked

    use(tmp_path, ["/bin/sh", "-c", script], scenario)


def test_nothing_is_left_of_one_that_is_left_in_a_hurry(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pid")

    async def scenario(server: ToolServer) -> None:
        asked = asyncio.ensure_future(server.tools())
        pid = int(await asyncio.to_thread((tmp_path / "pid").read_text))
        closing = asyncio.ensure_future(server.close())
        while not server._leave.is_set():
            await asyncio.sleep(0)
        closing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closing
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
        asked.cancel()

    use(tmp_path, ["/bin/sh", "-c", "echo $$ > pid; exec sleep 600"], scenario)
