"""The process in which a plug-in's turns are made, or in which it is only looked at."""

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from forge_cli.handlers import wire
from forge_cli.handlers.calling import LoadError, failed, name_of, report
from forge_cli.handlers.settings import SHARED
from forge_cli.handlers.worker import serve
from forge_cli.multiagent.terms import Json
from forge_cli.multiagent.turn import Turn, TurnResult


class PlugInCallee:
    """One plug-in, loaded at the first turn; its object stays for the turns that follow."""

    noun = "the handler"

    def __init__(self, target: str) -> None:
        self._target = target
        self._handler: Any = None

    def call(self, turn: Turn) -> dict[str, Json]:
        """The fields of the `TurnResult` that the plug-in gives; a loop of its own for each turn.

        With the loop ends whatever tasks the turn leaves.
        """
        import asyncio

        if self._handler is None:
            self._handler = load(self._target)
        result = asyncio.run(self._handler.run(turn))
        if isinstance(result, TurnResult):
            return wire.encode_result(result)
        found = type(result).__name__
        return failed("invalid-output", f"the handler returned {found}, not a TurnResult")

    def line_of(self, error: BaseException) -> str:
        """`file.py:12: ` for the innermost line of the plug-in that the error came through."""
        module = sys.modules.get(self._target.partition(":")[0])
        file, place, step = getattr(module, "__file__", None), "", error.__traceback__
        while step is not None:
            if step.tb_frame.f_code.co_filename == file:
                place = f"{os.path.basename(file)}:{step.tb_lineno}: "  # noqa: PTH119
            step = step.tb_next
        return place


def load(target: str) -> Any:
    """The handler that the entry point names, made without arguments.

    Raises `LoadError` with what is wrong with it.
    """
    module, _, name = target.partition(":")
    try:
        made: Any = import_module(module)
    except BaseException as error:  # noqa: BLE001  told as the failure it is
        report(error)
        raise LoadError(f"'{module}' cannot be imported: {name_of(error)}") from None
    for step in name.split("."):
        made = getattr(made, step, None)
    if not callable(made):
        raise LoadError(f"'{module}' has no class '{name}'")
    try:
        handler = made()
    except BaseException as error:  # noqa: BLE001  told as the failure it is
        report(error)
        raise LoadError(f"{name}() fails: {name_of(error)}") from None
    if objection := _unfit(handler, name):
        raise LoadError(objection)
    return handler


def _unfit(handler: object, name: str) -> str:
    """Why an object is no handler, or nothing."""
    import inspect

    run = getattr(handler, "run", None)
    if not inspect.iscoroutinefunction(run):
        return f"'{name}' has no  async def run(self, turn)"
    try:
        inspect.signature(run).bind(None)
    except TypeError:
        return f"'{name}.run' takes {inspect.signature(run)}, not the turn alone"
    return ""


def examine(target: str, settings: list[dict[str, Json]]) -> dict[str, Json]:
    """What is wrong with the plug-in, its schema, and the faults of each of the settings."""
    try:
        schema = getattr(load(target), "settings", None)
        faults = [[] for _ in settings] if schema is None else _judged(schema, settings)
    except LoadError as error:
        return {"problem": str(error)}
    return {"problem": "", "schema": schema, "faults": faults}


def _judged(schema: Json, settings: list[dict[str, Json]]) -> list[Json]:
    """The faults of each; `LoadError` if the schema that the plug-in declares cannot be used."""
    from jsonschema import Draft202012Validator
    from referencing import Registry

    if not isinstance(schema, dict):
        raise LoadError(f"its settings are a {type(schema).__name__}, not a JSON Schema")
    try:
        json.dumps(schema, allow_nan=False)
        Draft202012Validator.check_schema(schema)
        validator: Any = Draft202012Validator(schema, registry=Registry())
        faults: list[Json] = [list(_faults(validator, each)) for each in settings]
    except Exception as error:  # noqa: BLE001  whatever a schema leads to is told
        reason = getattr(error, "message", None) or str(error)
        raise LoadError(f"its settings are no JSON Schema: {reason:.200}") from None
    if taken := sorted({"kind", *SHARED} & {*schema.get("properties", {})}):
        raise LoadError(f"its settings name '{taken[0]}', which means the same for every handler")
    return faults


def _faults(validator: Any, settings: Mapping[str, Json]) -> Iterator[list[Json]]:
    """Where settings break the schema: path, whether the key is at fault, message, keys known.

    What a text with a reference will be is not known yet.
    """
    for error in sorted(validator.iter_errors(settings), key=lambda each: str(each.json_path)):
        path = list(error.absolute_path)
        if error.validator == "additionalProperties" and error.validator_value is False:
            known = sorted(error.schema.get("properties", {}))
            for key in _strange(error.instance, known, error.schema):
                yield [[*path, key], True, "there is no such setting", known]
        elif not (isinstance(error.instance, str) and "${" in error.instance):
            yield [path, False, error.message[:300], []]


def _strange(instance: Mapping[str, Json], known: list[str], schema: Mapping[str, Json]) -> Json:
    patterns = schema.get("patternProperties", {})
    rest = sorted(set(instance) - set(known))
    return [key for key in rest if not any(re.search(each, key) for each in patterns)]


def main(target: str, path: str, workspace: str, grace: str) -> None:
    """Serve a plug-in; `path` is a list in JSON: where forge itself would find its modules."""
    sys.path[:] = json.loads(path)
    serve(PlugInCallee(target), workspace, grace)


def look(target: str, path: str) -> None:
    """Answer one question on standard output; what the plug-in prints goes to standard error."""
    sys.path[:] = json.loads(path)
    sys.dont_write_bytecode = True
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        answers.write(json.dumps(examine(target, json.load(sys.stdin))).encode())
        answers.flush()
        os._exit(0)  # what the plug-in started is not waited for
