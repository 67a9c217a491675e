"""Inputs of a run: what was given on the command line, and the manifest's defaults."""

import json
import shlex
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from forge_cli.errors import ForgeError
from forge_cli.gateway.acceptance import unsafe
from forge_cli.multiagent.plan import Input, Json, Plan
from forge_cli.multiagent.values import noted


def read_pairs(pairs: Iterable[str], declared: Collection[str] = ()) -> dict[str, str]:
    """What `--input KEY=VALUE` says, as text; `ForgeError` for anything else or a key twice.

    `declared` are the names of inputs, for what to type instead.
    """
    given: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            name = pair if pair in declared else next(iter(declared), "KEY")
            raise ForgeError(f"--input '{pair}' is not KEY=VALUE; write  --input {name}=VALUE")
        if key in given:
            raise ForgeError(f"--input {key} is given twice: '{given[key]}' and '{value}'")
        given[key] = value
    return given


def bind(
    plan: Plan, given: Mapping[str, str], file: Mapping[str, Json] | None = None
) -> dict[str, Json]:
    """The inputs of a run, as `values_of`; `ForgeError` also for one that is missing.

    What is given goes before what the file says.
    """
    values = values_of(plan, given, file)
    lacking = [key for key in missing(plan, given) if key not in values]
    if lacking:
        rest = "".join(f" --input {key}=..." for key in lacking)
        raise ForgeError(f"'{plan.name}' needs {_quoted(lacking)}; give  {rest.strip()}")
    return values


def values_of(
    plan: Plan, given: Mapping[str, str], file: Mapping[str, Json] | None = None
) -> dict[str, Json]:
    """The inputs that have a value, given or by default, in the manifest's order.

    A value is text as it stands, unless the manifest declares another type or has a default of
    one: then it is JSON. `ForgeError` for an input that is unknown or of a wrong type.
    """
    read = file or {}
    unknown = [key for key in (*given, *read) if key not in plan.inputs]
    if unknown:
        known = ", ".join(f"'{key}'" for key in plan.inputs) or "none"
        raise ForgeError(f"'{plan.name}' has no input '{unknown[0]}'; it has: {known}")
    values: dict[str, Json] = {}
    for key, declared in plan.inputs.items():
        if key in given:
            values[key] = _sound(key, _value(key, given[key], declared))
        elif key in read:
            values[key] = _sound(key, _checked(key, read[key], declared))
        elif not declared.required:
            values[key] = _sound(key, declared.default)
    return values


def read_file(path: Path) -> dict[str, Json]:
    """The inputs in a JSON file: one object. `ForgeError` if it is not there or not that."""
    try:
        found = json.loads(path.read_bytes(), parse_constant=_refuse)
    except (OSError, ValueError, RecursionError) as fault:
        raise ForgeError(f"--inputs '{path}' cannot be read: {fault}") from fault
    if not isinstance(found, dict):
        raise ForgeError(f"--inputs '{path}' is to hold one JSON object, it holds another value")
    return found


def missing(plan: Plan, given: Mapping[str, str]) -> list[str]:
    """The inputs without a default that were not given."""
    return [key for key, each in plan.inputs.items() if each.required and key not in given]


def _quoted(keys: list[str]) -> str:
    noun = "input" if len(keys) == 1 else "inputs"
    return f"{noun} " + ", ".join(f"'{key}'" for key in keys)


_TYPES: Mapping[str, tuple[type, ...]] = {
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "array": (list,),
    "object": (dict,),
}


def _value(key: str, text: str, declared: Input) -> Json:
    wanted = _wanted(declared)
    if wanted not in _TYPES:
        return text
    try:
        value = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        value = None
    if not _fits(value, wanted):
        raise _unfit(
            key, wanted, text, f"; write  --input {shlex.quote(_example(key, wanted, text))}"
        )
    return _checked(key, value, declared)


def _checked(key: str, value: Json, declared: Input) -> Json:
    wanted = _wanted(declared)
    if not _fits(value, wanted):
        raise _unfit(key, wanted, json.dumps(value, ensure_ascii=False))
    if fault := unsafe(value, f"input '{key}'"):
        raise ForgeError(f"{fault}; no value of a run may")
    return value


def _sound(key: str, value: Json) -> Json:
    if any(noted(value)):
        raise ForgeError(
            f"input '{key}' holds a mapping of 'artifact' and 'bytes' alone, which is how forge "
            "notes a value that it keeps as an artifact; name one of the keys differently"
        )
    return value


def _fits(value: Json, wanted: str) -> bool:
    fitting = _TYPES.get(wanted, (str,) if wanted == "string" else (object,))
    return isinstance(value, fitting) and not (isinstance(value, bool) and wanted in _NUMBERS)


def _unfit(key: str, wanted: str, text: str, way: str = "") -> ForgeError:
    return ForgeError(f"input '{key}' is to be of type {wanted}, '{text[:80]}' is not{way}")


def _example(key: str, wanted: str, text: str) -> str:
    """What can be typed: of a list the words themselves, else any value of the type."""
    words = [part.strip() for part in text[:80].split(",")]
    array = json.dumps(["a", "b"] if text[:1] in ("[", "{") else words, ensure_ascii=False)
    examples = {"array": array, "object": '{"name": "value"}', "boolean": "true"}
    return f"{key}={examples.get(wanted, '3')}"


_NUMBERS = ("integer", "number")


def _wanted(declared: Input) -> str:
    """The declared type; where there is none, that of the default."""
    if declared.type != "any" or declared.default is None:
        return declared.type
    if isinstance(declared.default, bool):
        return "boolean"
    fitting = (t for t in ("number", "array", "object") if isinstance(declared.default, _TYPES[t]))
    return next(fitting, "string")


def _refuse(constant: str) -> Json:
    raise ValueError(f"{constant} is not JSON")
