"""Faults of the shape, made everywhere in a manifest: keys, types, nulls, duplicates."""

from collections.abc import Iterator
from typing import Any

from forge_cli.manifest.findings import Path
from forge_cli.manifest.shape.language import at, keys, shapes
from tests.corpus.language import Use, uses
from tests.corpus.mutations import MARK, Mutation, Text

WRONG = {
    "text": "soon",
    "whole number": "7",
    "true or false": "true",
    "list": "[one]",
    "mapping": "{one: two}",
}
"""A value of each shape that is read alike everywhere."""


def misspelt(text: Text, data: Any) -> Iterator[Mutation]:
    """Every key of the language, with two letters swapped or one doubled."""
    for use in uses(data):
        known = keys(at(use.path[:-1], data))
        word = _misspelling(use.key, known)
        yield Mutation(
            f"misspelt {_name(use)}", "unknown-key", (text.key(use.path, f"{MARK}{word}"),)
        )


def _misspelling(key: str, known: tuple[str, ...]) -> str:
    swapped = key[:1] + key[2:3] + key[1:2] + key[3:]
    return swapped if swapped not in (key, *known) else key + key[-1]


def mistyped(text: Text, data: Any) -> Iterator[Mutation]:
    """Every key of the language with a value of each shape that it does not take."""
    for use in uses(data):
        wanted = () if use.node["type"] == "any" else shapes(use.node)
        if not wanted:
            continue
        for shape, value in WRONG.items():
            if shape in wanted or (shape == "whole number" and "number" in wanted):
                continue
            # An unquoted number is what readers of YAML disagree on: 1.10 is 1.1.
            is_number = use.path == ("version",) and shape == "whole number"
            rule = "ambiguous-scalar" if is_number else "wrong-type"
            name = f"{shape} for {_name(use)}"
            yield Mutation(name, rule, (text.value(use.path, f"{MARK}{value}"),))


def nulls(text: Text, data: Any) -> Iterator[Mutation]:
    """Every key of the language without a value."""
    for use in uses(data):
        yield Mutation(
            f"null for {_name(use)}", "null-value", (text.value(use.path, f"{MARK}null"),)
        )


def doubled(text: Text, data: Any) -> Iterator[Mutation]:
    """Every key, of the language or a name, written a second time."""
    for path, place in text.places.items():
        if place.key is not None and not _is_in_schema(path):
            key = text.text[slice(*place.key)]
            edit = text.beside(path, f"{MARK}{key}: again")
            yield Mutation(f"second {path[-1]}", "duplicate-key", (edit,))


def missing(text: Text, data: Any) -> Iterator[Mutation]:
    """Every key that must be there, taken out together with its value."""
    for use in uses(data):
        above = at(use.path[:-1], data)
        if above["fields"][use.key]["required"] and len(text.data_at(use.path[:-1])) > 1:
            edits = (text.at_key(use.path[:-1]), text.without(use.path))
            yield Mutation(f"missing {_name(use)}", "missing-key", edits)


def _name(use: Use) -> str:
    return f"{use.mapping}.{use.key}"


def _is_in_schema(path: Path) -> bool:
    return path[0] == "schemas" and len(path) > 2
