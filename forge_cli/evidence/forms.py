"""The JSON Schemas of the evidence's files, which travel in the package."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from forge_cli.evidence import document
from forge_cli.multiagent.plan import Json

NAMES = ("plan.json", "events.jsonl", "run.json", "environment.json", "verification.json")
"""The files that have a schema; that of `events.jsonl` is of one line."""


@cache
def schema(name: str) -> Mapping[str, Json]:
    """The schema (2020-12) of the file of that name."""
    text = (
        files("forge_cli.evidence") / "schemas" / f"{name.partition('.')[0]}.schema.json"
    ).read_text(encoding="utf-8")
    found: Mapping[str, Json] = json.loads(text)
    return found


def violation(name: str, data: bytes) -> str:
    """Where and why a file does not fit its schema, or nothing."""
    try:
        value = document.parse(data)
    except ValueError as fault:
        return str(fault)
    error = best_match(Draft202012Validator(schema(name)).iter_errors(value))
    return "" if error is None else f"{error.json_path}: {error.message[:300]}"
