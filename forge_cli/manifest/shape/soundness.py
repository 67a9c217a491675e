"""Whether data has the shape of a manifest: a yes without pydantic-core, whose import takes longer.

The same checked-in schema is followed as pydantic-core follows it. A test holds both against many
faulty documents; what is wrong with one is only told by pydantic-core.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from math import inf
from typing import Any

from forge_cli.manifest.shape.language import Node, resolve, schema

Judge = Callable[[Any], bool]


def is_sound(data: Any) -> bool:
    """Whether pydantic-core finds nothing in plain data."""
    return _top()(data)


@cache
def _top() -> Judge:
    return _judge(schema())


def _judge(node: Node) -> Judge:
    return _JUDGES[node["type"]](node)


@cache
def _definition(name: str) -> Judge:
    """Made when data first asks for it: most manifests use few of the language's mappings."""
    return _judge(resolve({"type": "definition-ref", "schema_ref": name}))


def _reference(node: Node) -> Judge:
    def judge(value: Any) -> bool:
        return _definition(node["schema_ref"])(value)

    return judge


def _text(node: Node) -> Judge:
    pattern = node.get("pattern")
    if pattern is None:
        return lambda value: type(value) is str
    return lambda value: type(value) is str and _search(pattern)(value) is not None


@cache
def _search(pattern: str) -> Callable[[str], re.Match[str] | None]:
    """A pattern with the end that Rust's regular expressions mean: not before a last newline."""
    return re.compile(pattern.replace("$", r"\Z")).search


def _whole_number(node: Node) -> Judge:
    least, most = node["ge"], node["le"]
    return lambda value: type(value) is int and least <= value <= most


def _number(node: Node) -> Judge:
    least, most = node["ge"], node.get("le", inf)
    return lambda value: type(value) in (int, float) and least <= value <= most and value < inf


def _literal(node: Node) -> Judge:
    expected = frozenset((type(each), each) for each in node["expected"])
    types = frozenset(type(each) for each in node["expected"])
    return lambda value: type(value) in types and (type(value), value) in expected


def _list(node: Node) -> Judge:
    fits, shortest = _judge(node["items_schema"]), node.get("min_length", 0)
    return lambda value: type(value) is list and len(value) >= shortest and all(map(fits, value))


def _mapping(node: Node) -> Judge:
    """A mapping whose keys are the author's own."""
    is_key, fits = _judge(node["keys_schema"]), _judge(node["values_schema"])
    shortest = node.get("min_length", 0)
    return lambda value: (
        type(value) is dict
        and len(value) >= shortest
        and all(map(is_key, value))
        and all(map(fits, value.values()))
    )


def _record(node: Node) -> Judge:
    """A mapping whose keys are the language's."""
    fields = {name: _judge(field["schema"]) for name, field in node["fields"].items()}
    required = frozenset(name for name, field in node["fields"].items() if field["required"])
    return lambda value: (
        type(value) is dict
        and value.keys() <= fields.keys()
        and required <= value.keys()
        and all(fields[name](each) for name, each in value.items())
    )


def _union(node: Node) -> Judge:
    choices = [_judge(choice) for choice, _ in node["choices"]]
    return lambda value: any(fits(value) for fits in choices)


def _tagged_union(node: Node) -> Judge:
    tag = node["discriminator"]
    choices = {name: _judge(choice) for name, choice in node["choices"].items()}

    def judge(value: Any) -> bool:
        name = value.get(tag) if type(value) is dict else None
        return type(name) is str and name in choices and choices[name](value)

    return judge


_JUDGES: Mapping[str, Callable[[Node], Judge]] = {
    "any": lambda _: lambda _: True,
    "bool": lambda _: lambda value: type(value) is bool,
    "definition-ref": _reference,
    "definitions": lambda node: _judge(node["schema"]),
    "dict": _mapping,
    "float": _number,
    "int": _whole_number,
    "list": _list,
    "literal": _literal,
    "str": _text,
    "tagged-union": _tagged_union,
    "typed-dict": _record,
    "union": _union,
}
