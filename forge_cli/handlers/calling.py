"""Calls a user's function with a turn and makes an answer of whatever comes of it."""

import importlib.util
import json
import os
import sys
import types
from collections.abc import Awaitable
from typing import Any, Protocol

from forge_cli.handlers import wire
from forge_cli.handlers.frames import LONGEST
from forge_cli.multiagent.terms import Json
from forge_cli.multiagent.turn import Turn, TurnResult

SPARE = 1_024
"""Bytes that the envelope of an answer needs."""

_encode = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode
_decode = json.JSONDecoder().decode


class LoadError(Exception):
    """The file or the function in it cannot be had; the text is a sentence."""


class Callee(Protocol):
    """What a worker calls for each turn."""

    noun: str
    """What messages call it."""

    def call(self, turn: Turn) -> dict[str, Json]:
        """The fields of the result that comes of it. Whatever it raises is told by `answer`."""
        ...

    def line_of(self, error: BaseException) -> str:
        """`file.py:12: ` for the place of its own that the error came through, or nothing."""
        ...


class FileCallee:
    """One file, loaded at the first call; files beside it can be imported from it."""

    noun = "the function"

    def __init__(self, file: str) -> None:
        self._path = file
        self._name = os.path.basename(file)
        self._module: types.ModuleType | None = None

    def call(self, turn: Turn) -> dict[str, Json]:
        """The fields of what the function returns, awaited if it is awaitable."""
        function = self._function(str(turn.handler["call"]).rpartition(":")[2])
        value = function(turn)
        if not isinstance(value, dict) and isinstance(value, Awaitable):
            import asyncio

            value = asyncio.run(_awaited(value))
        return as_result(value, turn.grant.outputs)

    def line_of(self, error: BaseException) -> str:
        """`file.py:12: ` for the innermost line of the file that the error came through."""
        place, step = "", error.__traceback__
        while step is not None:
            if step.tb_frame.f_code.co_filename == self._path:
                place = f"{self._name}:{step.tb_lineno}: "
            step = step.tb_next
        return place

    def _function(self, name: str) -> Any:
        if self._module is None:
            self._module = self._load()
        function = getattr(self._module, name, None)
        if not callable(function):
            raise LoadError(f"{self._name} has no function {name!r}")
        return function

    def _load(self) -> types.ModuleType:
        name = f"forge_function_{os.path.splitext(self._name)[0]}"
        spec = importlib.util.spec_from_file_location(name, self._path)
        if spec is None or spec.loader is None:
            raise LoadError(f"{self._name} is no Python file; its name must end in .py")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:  # noqa: BLE001  told as the failure it is
            del sys.modules[name]
            report(error)
            raise LoadError(
                f"{self.line_of(error)}{self._name} does not load: {name_of(error)}"
            ) from None
        return module


async def _awaited(value: Awaitable[Any]) -> Any:
    return await value


def answer(callee: Callee, message: bytes) -> bytes:
    """The JSON of the result of the turn that the message is; never raises but for a stop."""
    return encode(outcome(callee, wire.decode_turn(_decode(message.decode()))), callee.noun)


def outcome(callee: Callee, turn: Turn) -> dict[str, Json]:
    """The fields of the turn's result, whatever is raised in it."""
    try:
        return callee.call(turn)
    except LoadError as error:
        return failed("error", str(error))
    except SystemExit as error:
        if error.__class__ is not SystemExit:
            raise  # it is the worker that is told to stop
        return failed("error", f"{callee.line_of(error)}called sys.exit({error.code!r})")
    except BaseException as error:  # noqa: BLE001  everything is an outcome, and recorded as one
        report(error)
        return failed("error", callee.line_of(error) + name_of(error))


def as_result(value: Any, outputs: tuple[str, ...]) -> dict[str, Json]:
    """A `TurnResult` as it is, an object as the output, another value as the only output."""
    if isinstance(value, TurnResult):
        return wire.encode_result(value)
    if isinstance(value, dict):
        return {"status": "done", "output": value}
    if value is None and not outputs:
        return {"status": "done", "output": {}}
    if value is not None and len(outputs) == 1:
        return {"status": "done", "output": {outputs[0]: value}}
    wanted = ", ".join(outputs) or "none"
    return failed(
        "invalid-output",
        f"the function returned {type(value).__name__}, not an object with the outputs ({wanted})",
    )


def encode(fields: dict[str, Json], noun: str) -> bytes:
    """The fields as JSON, or a failure that says why they are none; `noun` is who gave them."""
    try:
        payload = _encode(fields).encode()
    except (TypeError, ValueError, RecursionError) as error:
        reason = f"what {noun} returned is not JSON: {error}"
        return encode(failed("invalid-output", reason), noun)
    except Exception as error:  # noqa: BLE001  an object of the user's may raise anything
        reason = f"what {noun} returned is not JSON: {name_of(error)}"
        return encode(failed("invalid-output", reason), noun)
    if len(payload) > LONGEST - SPARE:
        reason = f"what {noun} returned is {len(payload)} bytes of JSON; at most {LONGEST}"
        return encode(failed("invalid-output", reason), noun)
    return payload


def failed(kind: str, message: str) -> dict[str, Json]:
    """A failure of the call's."""
    return {"status": "failed", "kind": kind, "message": message}


def name_of(error: BaseException) -> str:
    """The exception's class and text, whatever its `__str__` does."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001  the text is the user's code, too
        text = "(its text cannot be had)"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def within(step: types.TracebackType | None) -> types.TracebackType | None:
    """The traceback without the lines of this module: they say nothing to the author."""
    while step is not None and step.tb_frame.f_code.co_filename == __file__:
        step = step.tb_next
    return step


def report(error: BaseException) -> None:
    """The traceback, for the captured standard error."""
    import traceback

    try:
        traceback.print_exception(error.with_traceback(within(error.__traceback__)))
    except Exception:  # noqa: BLE001  standard error is where the function left it
        return
