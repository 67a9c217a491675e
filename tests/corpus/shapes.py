"""Faults of the shape, made everywhere in a manifest: keys, types, nulls, duplicates."""

from collections.abc import Iterator
from typing import Any

from forge_cli.manifest.findings import Path
from forge_cli.manifest.forms import NOT_BLANK
from forge_cli.manifest.shape.language import at, keys, resolve, shapes, values
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


def strange(text: Text, data: Any) -> Iterator[Mutation]:
    """Every key whose values are listed with another one."""
    for use in uses(data):
        if values(use.node):
            rule = "unknown-kind" if use.key == "kind" else "unknown-value"
            edit = text.value(use.path, f"{MARK}unheard-of")
            yield Mutation(f"strange {_name(use)}", rule, (edit,))


def too_small(text: Text, data: Any) -> Iterator[Mutation]:
    """Every number below its least, every program without a word, every text without a letter."""
    for use in uses(data):
        node = resolve(use.node)
        if node["type"] in ("int", "float") and use.path != ("forge",):
            edit = text.value(use.path, f"{MARK}-1")
            yield Mutation(f"-1 for {_name(use)}", "out-of-range", (edit,))
        elif node.get("min_length") and node["type"] == "list":
            edit = text.value(use.path, f"{MARK}[]")
            yield Mutation(f"[] for {_name(use)}", "out-of-range", (edit,))
        elif node.get("pattern") == NOT_BLANK:
            edit = text.value(use.path, f'{MARK}" "')
            yield Mutation(f"blank {_name(use)}", "wrong-form", (edit,))


def entries(text: Text, data: Any) -> Iterator[Mutation]:
    """Every list of texts with a further entry that is none."""
    for use in uses(data):
        node = resolve(use.node)
        if node["type"] == "list" and shapes(node["items_schema"]) == ("text",):
            edit = text.into(use.path, f"{MARK}{{}}")
            yield Mutation(f"mapping in {_name(use)}", "wrong-type", (edit,))
