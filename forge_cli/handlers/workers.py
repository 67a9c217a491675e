"""Turns in worker processes, which are hired, kept for the next turn, and seen off."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from forge_cli.gateway.processes import Processes, Survivor
from forge_cli.handlers import environment, program
from forge_cli.handlers.answers import AnswerError, parse
from forge_cli.handlers.context import HandlerContext, Stopped
from forge_cli.handlers.masks import masked
from forge_cli.handlers.wire import decode_result, encode_turn
from forge_cli.handlers.worker_process import Service, WorkerProcess
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.turn import Turn, TurnResult

GRACE = 5_000
"""Milliseconds between TERM and KILL, unless the configuration has `grace`."""

MESSAGE = 2_000
"""Characters of a failure's message that are kept."""


class _Place(NamedTuple):
    """What a worker is for; `grace` is in milliseconds, `variables` are its own ones as JSON."""

    service: Service
    grace: int
    variables: str


class Workers:
    """Workers of one kind of handler; each stays for the next turn of its place until `close`."""

    def __init__(self, context: HandlerContext, processes: Processes, noun: str) -> None:
        """`noun` is what messages call that which is called: `the function`."""
        self._context = context
        self._processes = processes
        self._noun = noun
        self._idle: dict[_Place, list[WorkerProcess]] = {}

    async def run(self, turn: Turn, service: Service) -> TurnResult:
        """Have a worker of that service make the turn; cancelling ends the worker.

        Raises `VariablesError` if the environment of its worker cannot be built.
        """
        place = _place(service, turn.handler)
        worker = self._hire(place, turn.handler)
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

    def _hire(self, place: _Place, config: Mapping[str, Json]) -> WorkerProcess:
        idle = self._idle.get(place, [])
        while idle:
            worker = idle.pop()
            if worker.usable:
                return worker
        variables = environment.base(self._context.environment, config)
        grace = place.grace / 1000
        return WorkerProcess(self._context, self._processes, place.service, variables, grace)

    def _keep(self, worker: WorkerProcess) -> dict[str, str]:
        printed = worker.printed()
        return {name: self._context.artifacts.put(data) for name, data in printed.items()}

    def _death(self, worker: WorkerProcess) -> str:
        ending = worker.process.ended.result()
        reason = program.failure(worker.program, ending) or "exit status 0"
        reason += program.named(ending.survivors)
        return f"{self._noun}'s process ended before it answered: {reason}"

    def _result(self, answer: bytes, outputs: tuple[str, ...]) -> tuple[TurnResult, bool]:
        """The result without secrets, and whether its worker is spent."""
        redactor = self._context.redactor
        source = f"what {self._noun} returned"
        try:
            result, spent = understood(answer, source)
        except ValueError:
            reason = objection(redactor.redact_bytes(answer), source)
            return TurnResult.failed("invalid-output", reason), True
        result = masked(result, redactor, outputs)
        if len(result.message) > MESSAGE:
            # Cut only now: half a secret would not be recognized.
            result = replace(result, message=result.message[:MESSAGE])
        return result, spent


def _place(service: Service, config: Mapping[str, Json]) -> _Place:
    own = {key: config[key] for key in ("env", "secrets") if config.get(key)}
    variables = json.dumps(own, sort_keys=True) if own else ""
    return _Place(service, config.get("grace", GRACE), variables)


def understood(answer: bytes, source: str) -> tuple[TurnResult, bool]:
    """What a worker answers: the result, and whether it is spent; `ValueError` if it is none.

    `source` names the answer in messages.
    """
    words = parse(answer, source)
    if not isinstance(words, dict) or not isinstance(words.get("result"), dict):
        raise AnswerError(f"{source} is no result")
    result = decode_result(words["result"])
    if words.get("left"):
        left = tuple(Survivor(pid, name) for pid, name in words["left"])
        result = replace(result, message=result.message + program.named(left))
    return result, bool(words.get("spent"))


def objection(answer: bytes, source: str) -> str:
    """Why the answer, its secrets replaced, is none."""
    try:
        understood(answer, source)
    except ValueError as error:
        return str(error)
    return f"{source} is no result"
