"""Doors to MCP servers as handlers open them: a program with an allowed environment, or a URL."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from forge_cli.gateway.processes import Program
from forge_cli.gateway.proxy import Declared, Proxy
from forge_cli.gateway.reach import off_limits
from forge_cli.gateway.tool_server import ServerError, ToolServer
from forge_cli.gateway.tool_transport import AddressTransport, ProgramTransport
from forge_cli.handlers import environment
from forge_cli.handlers.context import HandlerContext
from forge_cli.handlers.program import check_texts, locate
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
        server = ToolServer(self._transport(config["server"], grant))
        declared = [Declared.read(each, name) for each in config["tools"]]
        key = json.dumps(config["server"], sort_keys=True)
        try:
            here = self._context
            yield Proxy(label, key, server, declared, grant, here.workspace, here.pins, here.own)
        finally:
            await server.close()

    def _transport(
        self, server: Mapping[str, Json], grant: Grant
    ) -> ProgramTransport | AddressTransport:
        if "url" not in server:
            return self._program(server)
        if fault := off_limits(server["url"], grant):
            raise ServerError(f"its address {fault}")
        return AddressTransport(server["url"])

    def _program(self, server: Mapping[str, Json]) -> ProgramTransport:
        context, argv = self._context, server["argv"]
        variables = environment.base(context.environment, server)
        check_texts({f"argument {n}": text for n, text in enumerate(argv)} | variables)
        path = locate(argv[0], variables, context.workspace)
        program = Program(path, argv, variables, str(context.workspace), GRACE)
        return ProgramTransport(context.processes, program, context.redactor)
