"""The handler kind `function`: a turn is one call of a Python function in a worker process."""

from pathlib import Path

from forge_cli.gateway.processes import ConfinementError, Processes
from forge_cli.gateway.sandbox.boxes import Boxes, Need
from forge_cli.gateway.sandbox.chart import ChartError
from forge_cli.handlers.context import HandlerContext, InputsError, with_inputs_opened
from forge_cli.handlers.environment import VariablesError
from forge_cli.handlers.neighbours import with_neighbours
from forge_cli.handlers.worker_process import Service
from forge_cli.handlers.workers import Workers
from forge_cli.multiagent.turn import Turn, TurnResult

WORKER = "forge_cli.handlers.worker"


class CallError(Exception):
    """The configuration's `call` names nothing that may be called; the text is a sentence."""


_NOT_CALLED = (CallError, ChartError, ConfinementError, InputsError, VariablesError)
"""What keeps a function from being called, each with a sentence for the attempt's failure."""


class FunctionHandler:
    """Calls functions in workers, which stay for the next turn of the same file until `close`."""

    def __init__(self, context: HandlerContext) -> None:
        self._context = context
        self._processes = Processes(WORKER)
        boxes = Boxes(context.around, self._processes, WORKER, shared=True)
        self._workers = Workers(context, boxes, "the function")
        self._services: dict[str, Service] = {}

    async def run(self, turn: Turn) -> TurnResult:
        """Call the turn's function. Whatever it does is a result; cancelling ends its worker."""
        try:
            turn = with_inputs_opened(turn, self._context)
            service = self._service(turn.handler["call"])
            need = self._need(turn, service)
            return await self._workers.run(turn, service, need)
        except _NOT_CALLED as error:
            return TurnResult.failed("error", self._context.redactor.redact(str(error)))

    async def close(self) -> None:
        """End all workers."""
        await self._workers.close()
        self._processes.close()

    def _need(self, turn: Turn, service: Service) -> Need:
        level, network = self._context.level(turn.handler), "network" in turn.grant.actions
        return Need(level, turn.role_id, turn.grant, service.files, network=network)

    def _service(self, call: str) -> Service:
        if call not in self._services:
            file = self._locate(call)
            files = tuple(with_neighbours(Path(file)))
            self._services[call] = Service(f"{WORKER}:main", (file, file), True, files)
        return self._services[call]

    def _locate(self, call: str) -> str:
        name, colon, function = call.rpartition(":")
        if not colon or not function.isidentifier():
            raise CallError(f"`call` is {call!r}; write it as file.py:function")
        folder = self._context.folder.resolve()
        path = (folder / name).resolve()
        folders = (folder, *(each.resolve() for each in self._context.libraries))
        if not any(map(path.is_relative_to, folders)):
            raise CallError(f"{name!r} is outside the manifest's folder, {str(folder)!r}; move it")
        if not path.is_file():
            raise CallError(f"there is no file {name!r} in the manifest's folder, {str(folder)!r}")
        return str(path)


def create(context: HandlerContext) -> FunctionHandler:
    """The handler of a run."""
    return FunctionHandler(context)
