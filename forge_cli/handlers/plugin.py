"""The handler kinds of plug-ins: a turn is one `run` of an installed class in a worker process.

What an installed distribution runs is kept out of the process that keeps the run's time, budget
and ledger, and a sandbox holds it to the item's grant as it holds a function.
"""

import json
import sys

from forge_cli.errors import ForgeError
from forge_cli.gateway.processes import ROOT, ConfinementError
from forge_cli.gateway.sandbox.boxes import Boxes, Need
from forge_cli.gateway.sandbox.chart import ChartError
from forge_cli.handlers.context import HandlerContext, InputsError, with_inputs_opened
from forge_cli.handlers.environment import VariablesError
from forge_cli.handlers.installed import PlugIn, named, places, search_path
from forge_cli.handlers.worker_process import Service
from forge_cli.handlers.workers import Workers
from forge_cli.multiagent.turn import Turn, TurnResult

BOOT = (
    "import sys; sys.path.append(sys.argv[1]); from forge_cli.handlers.plugin_worker import main; "
    "main(*sys.argv[2:])"
)


class PlugInHandler:
    """Has workers run one plug-in's turns; they stay for the next one until `close`."""

    def __init__(self, plug_in: PlugIn, context: HandlerContext) -> None:
        self._context = context
        boxes = Boxes(context.around, context.processes, shared=True)
        self._workers = Workers(context, boxes, "the handler")
        # An interpreter of its own, with all that an installation in development hooks into one.
        boot = ("-I", "-X", "utf8", "-c", BOOT, ROOT, plug_in.target, json.dumps(search_path()))
        files = (f"{ROOT}/forge_cli", *places(plug_in.target))
        self._service = Service(sys.executable, (sys.executable, *boot), files=files)

    async def run(self, turn: Turn) -> TurnResult:
        """Make the turn. Whatever the plug-in does is a result; cancelling ends its worker."""
        try:
            turn = with_inputs_opened(turn, self._context)
            return await self._workers.run(turn, self._service, self._need(turn))
        except (ChartError, ConfinementError, InputsError, VariablesError) as error:
            return TurnResult.failed("error", self._context.redactor.redact(str(error)))

    async def close(self) -> None:
        """End all workers."""
        await self._workers.close()

    def _need(self, turn: Turn) -> Need:
        level, network = self._context.level(turn.handler), "network" in turn.grant.actions
        files = self._service.files
        return Need(level, turn.role_id, turn.grant, files, sys.executable, network)


def create(kind: str, context: HandlerContext) -> PlugInHandler:
    """The handler of a run; `ForgeError` if no plug-in of that kind can be used."""
    plug_in = named(kind)
    if plug_in is None:
        raise ForgeError(
            f"there is no handler kind {kind!r} here; `forge plugins` lists those there are"
        )
    if plug_in.problem:
        raise ForgeError(f"the handler kind {kind!r} cannot be used: {plug_in.problem}")
    return PlugInHandler(plug_in, context)
