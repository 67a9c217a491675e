"""The handler kind `command`: a turn is one call of a program, without a shell."""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from forge_cli.gateway.processes import ConfinementError, Program
from forge_cli.gateway.sandbox.boxes import Box, Boxes, Need
from forge_cli.gateway.sandbox.chart import ChartError
from forge_cli.gateway.temporary import temporary_folder
from forge_cli.handlers import environment, printouts
from forge_cli.handlers.answers import AnswerError
from forge_cli.handlers.context import HandlerContext, InputsError, Stopped, with_inputs_opened
from forge_cli.handlers.event_words import EventWords
from forge_cli.handlers.masks import masked
from forge_cli.handlers.neighbours import with_neighbours
from forge_cli.handlers.presets.call import Asked, asked
from forge_cli.handlers.program import (
    Call,
    StartError,
    call,
    check_texts,
    failure,
    locate,
    named,
)
from forge_cli.handlers.prompts import company, from_others, prompt, task
from forge_cli.handlers.wire import encode_turn
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.turn import Turn, TurnResult

GRACE = 5_000
"""Milliseconds between TERM and KILL, unless the configuration has `grace`."""

MAX_OUTPUT = 16 * 1024 * 1024
"""Bytes that are kept of each stream, unless the configuration has `max_output`."""

RESULT = "result.json"
LAST_LINES = 20
LAST_BYTES = 4_096


class CommandHandler:
    """Calls programs in the workspace; what they print is captured, redacted and kept."""

    def __init__(self, context: HandlerContext) -> None:
        self._context = context
        self._boxes = Boxes(context.around, context.processes)

    async def run(self, turn: Turn) -> TurnResult:
        """Call the turn's program. Whatever it does is a result; cancelling stops its tree."""
        try:
            turn = with_inputs_opened(turn, self._context)
            box = await self._boxes.take(self._need(turn))
        except (ChartError, InputsError, StartError, environment.VariablesError) as error:
            return self._not_started(error)
        temporary = temporary_folder(self._context.mark, box.folder)
        try:
            return await self._run(turn, Path(temporary), box)
        except (ConfinementError, StartError, environment.VariablesError) as error:
            return self._not_started(error)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
            self._boxes.give_back(box)

    async def close(self) -> None:
        """End the sandboxes that were kept."""
        self._boxes.close()

    def _not_started(self, error: Exception) -> TurnResult:
        return TurnResult.failed("error", self._context.redactor.redact(str(error)), usage={})

    def _need(self, turn: Turn) -> Need:
        """The sandbox of a turn: also the files that its arguments name are part of it."""
        context, config = self._context, turn.handler
        search = environment.base(context.environment, config)
        argv = config["argv"]
        check_texts({f"argument {n}": text for n, text in enumerate(argv)})
        named = [context.workspace / name for name in argv if name in context.programs]
        files = [path for file in named for path in with_neighbours(file)]
        program = locate(argv[0], search, context.workspace)
        # A command-line agent is nothing without the model that it talks to.
        network = "network" in turn.grant.actions or "preset" in config
        level = context.level(config)
        return Need(level, turn.role_id, turn.grant, tuple(files), program, network)

    async def _run(self, turn: Turn, temporary: Path, box: Box) -> TurnResult:
        context, cap = self._context, turn.handler.get("max_output", MAX_OUTPUT)
        program = self._program(turn, temporary, box)
        called = await call(
            box.processes, context.redactor, program, stdin_of(turn), cap, self._hear(turn)
        )
        captured = {
            name: self._context.artifacts.put(stream.data)
            for name, stream in (("stdout", called.stdout), ("stderr", called.stderr))
            if stream.data
        }
        file = printouts.ResultFile(temporary / RESULT, cap, self._context.redactor)
        if called.stopped:
            raise Stopped(self._failed("cancelled", "stopped", called, captured))
        said = box.processes.complaint() if called.ending.lost else ""
        if (reason := failure(program, called.ending, said)) is not None:
            usage = printouts.usage_of_failed(turn, called.stdout, file)
            kind = kind_of(turn.handler, called)
            words = printouts.words_of_failed(turn, called.stdout)
            reason = f"{reason}; {words}" if words else reason
            return self._failed(kind, reason, called, captured, usage)
        try:
            answer = printouts.read(turn, called.stdout, file)
        except AnswerError as error:
            return self._failed("invalid-output", str(error), called, captured)
        if answer.objection is not None:
            return self._failed("error", answer.objection, called, captured, answer.usage)
        result = answer.result or TurnResult.done(answer.output)
        usage = answer.usage if result.usage is None else result.usage
        message = (result.message + named(called.ending.survivors)).removeprefix("; ")
        result = replace(result, usage=usage, captured=captured, message=message)
        return masked(result, self._context.redactor, turn.grant.outputs)

    def _hear(self, turn: Turn) -> Callable[[bytes], object] | None:
        doing = turn.handler.get("doing")
        if doing is None:
            return None
        return EventWords(doing, partial(self._context.tell, turn.item_id)).hear

    def _program(self, turn: Turn, temporary: Path, box: Box) -> Program:
        config, workspace = turn.handler, self._context.workspace
        given = asked(turn, temporary) if "preset" in config else Asked(config["argv"], {})
        argv, variables = given
        variables |= environment.base(self._context.environment, config)
        variables |= environment.of_turn(turn) | box.variables(str(temporary))
        if config.get("inputs_as_env"):
            variables |= environment.of_inputs(turn.inputs)
        if config.get("result") == "file":
            variables["FORGE_RESULT"] = str(temporary / RESULT)
        check_texts({f"argument {n}": text for n, text in enumerate(argv)} | variables)
        path = locate(argv[0], variables, workspace)
        grace = config.get("grace", GRACE) / 1000
        return Program(path, argv, variables, str(workspace), grace)

    def _failed(
        self,
        kind: str,
        reason: str,
        called: Call,
        captured: Mapping[str, str],
        usage: Mapping[str, int] | None = None,
    ) -> TurnResult:
        if not called.stdout.size and not called.stderr.size and called.ending.status:
            reason += "; it wrote nothing"
        message = self._context.redactor.redact(reason + named(called.ending.survivors))
        return TurnResult.failed(kind, message, last_lines(called), usage or {}, captured=captured)


def stdin_of(turn: Turn) -> bytes | None:
    """What the program reads: the prompt, the turn as JSON (see `wire`), or nothing."""
    match turn.handler.get("stdin", "none"):
        case "prompt":
            asked = task(turn) if "preset" in turn.handler else prompt(turn)
            parts = (asked, company(turn), from_others(turn.inbox))
            return "\n\n".join(part.strip() for part in parts if part).encode() + b"\n"
        case "json":
            return encode_turn(turn)
    return None


def kind_of(config: Mapping[str, Json], called: Call) -> str:
    """The kind of failure that the configuration gives to this exit status."""
    kinds: Mapping[str, str] = config.get("exit_codes") or {}
    return kinds.get(str(called.ending.status), "error")


def last_lines(called: Call) -> str | None:
    """The end of what it said: of standard error, else of standard output."""
    for stream in (called.stderr, called.stdout):
        lines = stream.data[-LAST_BYTES:].decode(errors="replace").strip().splitlines()
        if lines:
            return "\n".join(lines[-LAST_LINES:])
    return None


def create(context: HandlerContext) -> CommandHandler:
    """The handler of a run."""
    return CommandHandler(context)
