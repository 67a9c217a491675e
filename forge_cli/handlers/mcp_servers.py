"""Doors to MCP servers as handlers open them: a program in a sandbox of its own, or a URL."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from pathlib import Path

from forge_cli.canonical import digest
from forge_cli.gateway.processes import Program
from forge_cli.gateway.proxy import Declared, Proxy
from forge_cli.gateway.reach import off_limits
from forge_cli.gateway.sandbox.boxes import Boxes, Need
from forge_cli.gateway.sandbox.chart import ChartError
from forge_cli.gateway.temporary import temporary_folder
from forge_cli.gateway.tool_server import ServerError, ToolServer
from forge_cli.gateway.tool_transport import AddressTransport, ProgramTransport
from forge_cli.handlers import environment
from forge_cli.handlers.context import HandlerContext
from forge_cli.handlers.neighbours import parts
from forge_cli.handlers.program import StartError, check_texts, locate
from forge_cli.multiagent.grants import Grant
from forge_cli.multiagent.plan import Json

GRACE = 2.0
"""Seconds between TERM and KILL of a server whose standard input has ended."""


class Doors:
    """Opens doors to servers; what these first said of their tools holds for all doors of a run."""

    def __init__(self, context: HandlerContext) -> None:
        self._context = context

    @asynccontextmanager
    async def open(
        self, label: str, config: Mapping[str, Json], grant: Grant, name: str = ""
    ) -> AsyncIterator[Proxy]:
        """A door to the configured server, which starts when it is needed and ends when this does.

        `StartError` and `VariablesError` where there is no such program or secret, `ServerError`
        for an address beyond the scope. `config` has `server` and `tools` as an `mcp` handler
        has; `name` is the server's in the manifest, if it has one there.
        """
        declared = [Declared.read(each, name) for each in config["tools"]]
        key = digest(config["server"])
        async with self._transport(label, config["server"], grant) as transport:
            server = ToolServer(transport, self._context.redactor)
            try:
                here = self._context
                own = here.own
                yield Proxy(label, key, server, declared, grant, here.workspace, here.pins, own)
            finally:
                await server.close()

    @asynccontextmanager
    async def _transport(
        self, label: str, server: Mapping[str, Json], grant: Grant
    ) -> AsyncIterator[ProgramTransport | AddressTransport]:
        if "url" not in server:
            async with self._program(label, server, grant) as program:
                yield program
        elif refused := await asyncio.to_thread(off_limits, server["url"], grant):
            raise ServerError(f"its address {refused.reason}")
        else:
            yield AddressTransport(server["url"])

    @asynccontextmanager
    async def _program(
        self, label: str, server: Mapping[str, Json], grant: Grant
    ) -> AsyncIterator[ProgramTransport]:
        """The server's program, in a sandbox that no other one is ever in."""
        context, argv = self._context, server["argv"]
        variables = environment.base(context.environment, server)
        check_texts({f"argument {n}": text for n, text in enumerate(argv)} | variables)
        path = locate(argv[0], variables, context.workspace)
        with closing(Boxes(context.around, context.processes)) as boxes:
            try:
                box = await boxes.take(self._need(label, server, grant, path))
            except ChartError as error:
                raise StartError(str(error)) from None
            temporary = temporary_folder(context.mark, box.folder)
            try:
                variables |= box.variables(temporary)
                program = Program(path, argv, variables, str(context.workspace), GRACE)
                yield ProgramTransport(box.processes, program, context.redactor)
            finally:
                shutil.rmtree(temporary, ignore_errors=True)

    def _need(self, label: str, server: Mapping[str, Json], grant: Grant, program: str) -> Need:
        context = self._context
        named = [context.workspace / name for name in server["argv"] if name in context.programs]
        files = tuple(path for file in (Path(program), *named) for path in parts(file))
        network = "network" in grant.actions
        return Need(context.level(server), label, grant, files, program, network)
