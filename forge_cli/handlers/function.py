"""The handler kind `function`: a turn is one call of a Python function in a worker process."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace

from forge_cli.gateway.processes import Processes, Survivor
from forge_cli.handlers import environment, program
from forge_cli.handlers.answers import AnswerError, parse
from forge_cli.handlers.context import HandlerContext, InputsError, Stopped, with_inputs_opened
from forge_cli.handlers.masks import masked
from forge_cli.handlers.wire import decode_result, encode_turn
from forge_cli.handlers.worker_process import WORKER, WorkerProcess
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.turn import Turn, TurnResult

GRACE = 5_000
"""Milliseconds between TERM and KILL, unless the configuration has `grace`."""

Place = tuple[str, int, str]
"""What a worker is for: file, grace in milliseconds, its own variables as JSON."""


RETURNED = "what the function returned"
MESSAGE = 2_000
"""Characters of a failure's message that are kept."""


class CallError(Exception):
    """The configuration's `call` names nothing that may be called; the text is a sentence."""


class FunctionHandler:
    """Calls functions in workers, which stay for the next turn of the same file until `close`."""

    def __init__(self, context: HandlerContext) -> None:
        self._context = context
        self._files: dict[str, str] = {}
        self._idle: dict[Place, list[WorkerProcess]] = {}
        self._processes = Processes(WORKER)

    async def run(self, turn: Turn) -> TurnResult:
        """Call the turn's function. Whatever it does is a result; cancelling ends its worker."""
        try:
            turn = with_inputs_opened(turn, self._context)
            place = self._place(turn.handler)
            worker = self._hire(place, turn.handler)
        except (CallError, InputsError, environment.VariablesError) as error:
            return TurnResult.failed("error", self._context.redactor.redact(str(error)))
        try:
            answer = await worker.ask(encode_turn(turn))
        except asyncio.CancelledError:
            ending = await worker.see_off()
            reason = f"stopped{program.named(ending.survivors)}"
            captured = self._keep(worker)
            raise Stopped(TurnResult.failed("cancelled", reason, captured=captured)) from None
        captured = self._keep(worker)
        if answer is None:
            return TurnResult.failed("error", self._death(worker), captured=captured)
        result, spent = self._result(answer, turn.grant.outputs)
        if captured:
            result = replace(result, captured=captured)
        if spent or not worker.usable:
            await worker.see_off()
        else:
            self._idle.setdefault(place, []).append(worker)
        return result

    async def close(self) -> None:
        """End all workers."""
        workers = [worker for idle in self._idle.values() for worker in idle]
        self._idle.clear()
        await asyncio.gather(*(worker.see_off() for worker in workers))
        self._processes.close()

    def _place(self, config: Mapping[str, Json]) -> Place:
        own = {key: config[key] for key in ("env", "secrets") if config.get(key)}
        variables = json.dumps(own, sort_keys=True) if own else ""
        return self._file(config["call"]), config.get("grace", GRACE), variables

    def _file(self, call: str) -> str:
        if call not in self._files:
            self._files[call] = self._locate(call)
        return self._files[call]

    def _locate(self, call: str) -> str:
        name, colon, function = call.rpartition(":")
        if not colon or not function.isidentifier():
            raise CallError(f"`call` is {call!r}; write it as file.py:function")
        folder = self._context.folder.resolve()
        path = (folder / name).resolve()
        if not path.is_relative_to(folder):
            raise CallError(f"{name!r} is outside the manifest's folder, {str(folder)!r}; move it")
        if not path.is_file():
            raise CallError(f"there is no file {name!r} in the manifest's folder, {str(folder)!r}")
        return str(path)

    def _hire(self, place: Place, config: Mapping[str, Json]) -> WorkerProcess:
        idle = self._idle.get(place, [])
        while idle:
            worker = idle.pop()
            if worker.usable:
                return worker
        file, grace, _ = place
        variables = environment.base(self._context.environment, config)
        return WorkerProcess(self._context, self._processes, file, variables, grace / 1000)

    def _keep(self, worker: WorkerProcess) -> dict[str, str]:
        printed = worker.printed()
        return {name: self._context.artifacts.put(data) for name, data in printed.items()}

    def _death(self, worker: WorkerProcess) -> str:
        ending = worker.process.ended.result()
        reason = program.failure(worker.program, ending) or "exit status 0"
        reason += program.named(ending.survivors)
        return f"the function's process ended before it answered: {reason}"

    def _result(self, answer: bytes, outputs: tuple[str, ...]) -> tuple[TurnResult, bool]:
        """The result without secrets, and whether its worker is spent."""
        redactor = self._context.redactor
        try:
            result, spent = understood(answer)
        except ValueError:
            reason = objection(redactor.redact_bytes(answer))
            return TurnResult.failed("invalid-output", reason), True
        result = masked(result, redactor, outputs)
        if len(result.message) > MESSAGE:
            # Cut only now: half a secret would not be recognized.
            result = replace(result, message=result.message[:MESSAGE])
        return result, spent


def understood(answer: bytes) -> tuple[TurnResult, bool]:
    """What a worker answers: the result, and whether it is spent; `ValueError` if it is none."""
    words = parse(answer, RETURNED)
    if not isinstance(words, dict) or not isinstance(words.get("result"), dict):
        raise AnswerError(f"{RETURNED} is no result")
    result = decode_result(words["result"])
    if words.get("left"):
        left = tuple(Survivor(pid, name) for pid, name in words["left"])
        result = replace(result, message=result.message + program.named(left))
    return result, bool(words.get("spent"))


def objection(answer: bytes) -> str:
    """Why the answer, its secrets replaced, is none."""
    try:
        understood(answer)
    except ValueError as error:
        return str(error)
    return f"{RETURNED} is no result"


def create(context: HandlerContext) -> FunctionHandler:
    """The handler of a run."""
    return FunctionHandler(context)
