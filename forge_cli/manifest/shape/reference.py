"""What the editors' schema says of each key: what it is for, where it stands, what it takes."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).parent / "data" / "manifest.schema.json"


@dataclass(frozen=True, slots=True)
class Entry:
    """One meaning of a key: `owners` are the mappings that have it, by their titles."""

    key: str
    owners: tuple[str, ...]
    description: str
    examples: tuple[Any, ...] = ()
    values: tuple[Any, ...] = ()
    required: bool = False


def schema_text() -> str:
    """The JSON Schema (2020-12) of a manifest, as it is handed to editors."""
    return _FILE.read_text(encoding="utf-8")


@cache
def entries() -> dict[str, tuple[Entry, ...]]:
    """Every key of the language with its meanings; equal ones are told once."""
    schema = json.loads(schema_text())
    found: dict[str, dict[str, Entry]] = {}
    for definition in [schema, *schema["$defs"].values()]:
        for entry in _entries(definition):
            meanings = found.setdefault(entry.key, {})
            known = meanings.get(entry.description)
            owners = (*known.owners, *entry.owners) if known else entry.owners
            meanings[entry.description] = replace(entry, owners=owners)
    return {key: tuple(meanings.values()) for key, meanings in found.items()}


def _entries(definition: dict[str, Any]) -> Iterator[Entry]:
    for key, value in definition.get("properties", {}).items():
        yield Entry(
            key,
            (definition["title"],),
            value["description"],
            tuple(value.get("examples", ())),
            tuple(_values(value)),
            key in definition.get("required", ()),
        )


def _values(value: dict[str, Any]) -> Iterator[Any]:
    if "const" in value:
        yield value["const"]
    yield from value.get("enum", ())
    for choice in value.get("anyOf", ()):
        yield from _values(choice)
