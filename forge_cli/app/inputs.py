"""Inputs of a run: what was given on the command line, and the manifest's defaults."""

import json
from collections.abc import Iterable, Mapping

from forge_cli.errors import ForgeError
from forge_cli.multiagent.plan import Input, Json, Plan


def read_pairs(pairs: Iterable[str]) -> dict[str, str]:
    """What `--input KEY=VALUE` says, as text; `ForgeError` for anything else or a key twice."""
    given: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise ForgeError(f"--input '{pair}' is not KEY=VALUE; write  --input issue=482")
        if key in given:
            raise ForgeError(f"--input {key} is given twice: '{given[key]}' and '{value}'")
        given[key] = value
    return given


def bind(plan: Plan, given: Mapping[str, str]) -> dict[str, Json]:
    """The inputs of a run, as `values_of`; `ForgeError` also for one that is missing."""
    values = values_of(plan, given)
    lacking = missing(plan, given)
    if lacking:
        rest = "".join(f" --input {key}=..." for key in lacking)
        raise ForgeError(f"'{plan.name}' needs {_quoted(lacking)}; give  {rest.strip()}")
    return values


def values_of(plan: Plan, given: Mapping[str, str]) -> dict[str, Json]:
    """The inputs that have a value, given or by default, in the manifest's order.

    A value is text as it stands, unless the manifest declares another type or has a default of
    one: then it is JSON. `ForgeError` for an input that is unknown or of a wrong type.
    """
    unknown = [key for key in given if key not in plan.inputs]
    if unknown:
        known = ", ".join(f"'{key}'" for key in plan.inputs) or "none"
        raise ForgeError(f"'{plan.name}' has no input '{unknown[0]}'; it has: {known}")
    return {
        key: _value(key, given[key], declared) if key in given else declared.default
        for key, declared in plan.inputs.items()
        if key in given or not declared.required
    }


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
    except ValueError:
        value = None
    if not isinstance(value, _TYPES[wanted]) or (wanted != "boolean" and isinstance(value, bool)):
        raise ForgeError(f"input '{key}' is to be of type {wanted}, '{text}' is not")
    return value


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
