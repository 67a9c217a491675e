"""Turns in worker processes, which are hired, kept for the next turn, and seen off."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from forge_cli.gateway.processes import Survivor
from forge_cli.gateway.sandbox.boxes import Box, Boxes, Need
from forge_cli.handlers import environment, program
from forge_cli.handlers.answers import AnswerError, parse
from forge_cli.handlers.context import HandlerContext, Stopped
from forge_cli.handlers.masks import masked
from forge_cli.handlers.offers import Offer
from forge_cli.handlers.wire import decode_result, encode_turn
from forge_cli.handlers.worker_process import Service, WorkerProcess
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.turn import Turn, TurnResult

GRACE = 5_000
"""Milliseconds between TERM and KILL, unless the configuration has `grace`."""

MESSAGE = 2_000
"""Characters of a failure's message that are kept."""


class _Place(NamedTuple):
    """What a worker is for and where it works; `variables` are its own ones as JSON.

    `grace` is in milliseconds.
    """

    service: Service
    grace: int
    variables: str
    box: Box


class Workers:
    """Workers of one kind of handler; each stays for the next turn of its place until `close`."""

    def __init__(self, context: HandlerContext, boxes: Boxes, noun: str) -> None:
        """`noun` is what messages call that which is called: `the function`."""
        self._context = context
        self._boxes = boxes
        self._noun = noun
        self._workers: dict[_Place, list[WorkerProcess]] = {}

    async def run(self, turn: Turn, service: Service, need: Need) -> TurnResult:
        """Have a worker of that service make the turn; cancelling ends the worker.

        Raises `VariablesError` if the environment of its worker cannot be built, `ChartError` if no
        sandbox can hold its grant.
        """
        box = await self._boxes.take(need)
        try:
            return await self._run(turn, _place(service, turn.handler, box))
        finally:
            self._boxes.give_back(box)
            if self._boxes.has_stale:
                await self._leave_stale()

    async def _leave_stale(self) -> None:
        """See off who waits for turns in sandboxes that get none any more."""
        stale = [place for place in self._workers if place.box.stale and not place.box.turns]
        workers = [worker for place in stale for worker in self._workers.pop(place)]
        await asyncio.gather(*(worker.see_off() for worker in workers))
        self._boxes.close_stale()

    async def _run(self, turn: Turn, place: _Place) -> TurnResult:
        message = encode_turn(turn)
        while True:
            worker = self._hire(place, turn.handler, len(message))
            offer = worker.offer(message)
            try:
                answer = await offer.answer
            except asyncio.CancelledError:
                raise Stopped(await self._stop(worker, offer)) from None
            if offer.state != "withdrawn":
                break
        captured = self._keep(offer)
        if answer is None:
            return TurnResult.failed("error", self._death(worker), captured=captured)
        result = self._result(worker, answer, turn.grant.outputs)
        if captured:
            result = replace(result, captured=captured)
        if not worker.usable and not worker.busy:  # else whose turn it still makes sees it off
            await worker.see_off()
        return result

    async def _stop(self, worker: WorkerProcess, offer: Offer) -> TurnResult:
        """End the worker if it is this turn that it makes."""
        reason = "stopped"
        worker.withdraw()
        if offer.state == "open":
            ending = await worker.see_off()
            reason += program.named(ending.survivors)
        return TurnResult.failed("cancelled", reason, captured=self._keep(offer))

    async def close(self) -> None:
        """End all workers."""
        workers = [worker for workers in self._workers.values() for worker in workers]
        self._workers.clear()
        await asyncio.gather(*(worker.see_off() for worker in workers))
        self._boxes.close()

    def _hire(self, place: _Place, config: Mapping[str, Json], size: int) -> WorkerProcess:
        """The first that has time for a message of so many bytes: it is the one that is awake."""
        workers = self._workers.setdefault(place, [])
        for worker in workers:
            if worker.is_free(size):
                return worker
        workers[:] = [worker for worker in workers if worker.usable]
        variables = environment.base(self._context.environment, config)
        grace = place.grace / 1000
        # What the first could not make at once is given a worker each.
        worker = WorkerProcess(
            self._context, place.box, place.service, variables, grace, brisk=not workers
        )
        workers.append(worker)
        return worker

    def _keep(self, offer: Offer) -> dict[str, str]:
        return {name: self._context.artifacts.put(data) for name, data in offer.printed().items()}

    def _death(self, worker: WorkerProcess) -> str:
        ending = worker.process.ended.result()
        said = worker.complaint if ending.lost else ""
        reason = program.failure(worker.program, ending, said) or "exit status 0"
        reason += program.named(ending.survivors)
        return f"{self._noun}'s process ended before it answered: {reason}"

    def _result(self, worker: WorkerProcess, answer: bytes, outputs: tuple[str, ...]) -> TurnResult:
        """The result without secrets."""
        redactor = self._context.redactor
        source = f"what {self._noun} returned"
        try:
            result = understood(answer, source)
        except ValueError:
            worker.distrust()
            reason = objection(redactor.redact_bytes(answer), source)
            return TurnResult.failed("invalid-output", reason)
        result = masked(result, redactor, outputs)
        if len(result.message) > MESSAGE:
            # Cut only now: half a secret would not be recognized.
            result = replace(result, message=result.message[:MESSAGE])
        return result


def _place(service: Service, config: Mapping[str, Json], box: Box) -> _Place:
    own = {key: config[key] for key in ("env", "secrets") if config.get(key)}
    variables = json.dumps(own, sort_keys=True) if own else ""
    return _Place(service, config.get("grace", GRACE), variables, box)


def understood(answer: bytes, source: str) -> TurnResult:
    """The result that a worker answers; `ValueError` if it is none.

    `source` names the answer in messages.
    """
    words = parse(answer, source)
    if not isinstance(words, dict) or not isinstance(words.get("result"), dict):
        raise AnswerError(f"{source} is no result")
    result = decode_result(words["result"])
    if words.get("left"):
        left = tuple(Survivor(pid, name) for pid, name in words["left"])
        result = replace(result, message=result.message + program.named(left))
    return result


def objection(answer: bytes, source: str) -> str:
    """Why the answer, its secrets replaced, is none."""
    try:
        understood(answer, source)
    except ValueError as error:
        return str(error)
    return f"{source} is no result"
