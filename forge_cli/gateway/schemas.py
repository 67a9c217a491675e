"""JSON Schema 2020-12, without a network: references stay within the plan's own schemas."""

import threading
from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError, best_match
from referencing import Registry, Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from forge_cli.gateway.patience import PATIENCE, OvertimeError, within
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.times import from_text

FORMATS = ("date", "email", "ipv4", "ipv6", "regex", "uuid")
"""What is checked beside `date-time`; other formats say something and demand nothing."""


def violation(schemas: Mapping[str, Json], key: str, value: Json, seconds: float = PATIENCE) -> str:
    """Where and why a value does not fit the schema of that key, or nothing.

    A value that the schema cannot be held against, in that time or at all, does not fit it.
    """
    try:
        with within(seconds):
            error = best_match(_validator(schemas, key).iter_errors(value))
    except Unresolvable as missing:
        return f"its reference {missing.ref!r} leads nowhere"
    except OvertimeError as fault:
        return f"it {fault}; simplify its patterns"
    except RecursionError:
        return "it refers to itself without end, or the value is nested too deeply for it"
    except Exception as fault:  # noqa: BLE001 - what no metaschema sees is told in the verdict
        return f"it cannot be evaluated: {type(fault).__name__}: {fault!s:.200}"
    return "" if error is None else _sentence(error)


KEPT = 64
"""Schemas whose validators are kept; the one that is unused for longest goes first."""

_validators: dict[tuple[int, str], tuple[Mapping[str, Json], Any]] = {}
_lock = threading.Lock()


def _validator(schemas: Mapping[str, Json], key: str) -> Any:
    with _lock:
        found = _validators.pop((id(schemas), key), None)
        if found is None or found[0] is not schemas:
            found = schemas, _made(schemas, key)
        while len(_validators) >= KEPT:
            del _validators[next(iter(_validators))]
        _validators[id(schemas), key] = found
        return found[1]


def _made(schemas: Mapping[str, Json], key: str) -> Any:
    resources = [(name, Resource.from_contents(s, DRAFT202012)) for name, s in schemas.items()]
    registry: Any = Registry().with_resources(resources)
    return Draft202012Validator({"$ref": key}, registry=registry, format_checker=_formats())


def _formats() -> FormatChecker:
    """The formats that are checked: the same ones whatever else is installed."""
    checker = FormatChecker(FORMATS)
    checker.checks("date-time", raises=ValueError)(_is_time)
    return checker


def _is_time(value: object) -> bool:
    return not isinstance(value, str) or from_text(value) is not None


def _sentence(error: ValidationError) -> str:
    path = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in error.absolute_path)
    return f"{path.lstrip('.') or 'the output'}: {error.message[:300]}"
