"""JSON Schema 2020-12, without a network: references stay within the plan's own schemas."""

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match
from referencing import Registry, Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from forge_cli.multiagent.plan import Json


def violation(schemas: Mapping[str, Json], key: str, value: Json) -> str:
    """Where and why a value does not fit the schema of that key, or nothing."""
    try:
        error = best_match(_validator(schemas, key).iter_errors(value))
    except Unresolvable as missing:
        return f"its reference {missing.ref!r} leads nowhere"
    return "" if error is None else _sentence(error)


_validators: dict[tuple[int, str], tuple[Mapping[str, Json], Any]] = {}


def _validator(schemas: Mapping[str, Json], key: str) -> Any:
    cached = _validators.get((id(schemas), key))
    if cached is not None and cached[0] is schemas:
        return cached[1]
    resources = [(name, Resource.from_contents(s, DRAFT202012)) for name, s in schemas.items()]
    registry: Any = Registry().with_resources(resources)
    checker = Draft202012Validator.FORMAT_CHECKER
    validator = Draft202012Validator({"$ref": key}, registry=registry, format_checker=checker)
    _validators[id(schemas), key] = (schemas, validator)
    return validator


def _sentence(error: ValidationError) -> str:
    path = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in error.absolute_path)
    return f"{path.lstrip('.') or 'the output'}: {error.message[:300]}"
