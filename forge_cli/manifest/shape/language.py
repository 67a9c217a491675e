"""The language as plain data: the generated core schema, and what it knows where."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, cast

from forge_cli.manifest.naming import shape

Node = dict[str, Any]
"""A node of the core schema; its `type` says which."""

_FILE = os.path.join(os.path.dirname(__file__), "data", "core_schema.json")


@cache
def schema() -> Node:
    """The core schema of a manifest."""
    with open(_FILE, "rb") as file:
        return cast(Node, json.load(file, object_hook=_labelled)["schema"])


def _labelled(node: Node) -> Node:
    """Labelled choices are pairs to pydantic-core, which JSON has no word for."""
    if node.get("type") == "union":
        node["choices"] = [tuple(each) for each in node["choices"]]
    return node


@cache
def _definitions() -> dict[str, Node]:
    return {each["ref"]: each for each in schema().get("definitions", ())}


def resolve(node: Node) -> Node:
    """The node itself, behind references to definitions."""
    while True:
        match node["type"]:
            case "definitions":
                node = node["schema"]
            case "definition-ref":
                node = _definitions()[node["schema_ref"]]
            case _:
                return node


def choice(node: Node, label: str) -> Node:
    """The choice of a union that a label or a tag names."""
    if node["type"] == "tagged-union":
        return cast(Node, node["choices"][label])
    return next(cast(Node, each) for each, name in node["choices"] if name == label)


def labels(node: Node) -> tuple[str, ...]:
    """The shapes that a union takes, or the tags of a tagged one."""
    if node["type"] == "tagged-union":
        return tuple(node["choices"])
    return tuple(name for _, name in node["choices"])


def child(node: Node, step: str | int) -> Node:
    """The node of a value inside a mapping or a list; `any` where the language says nothing."""
    node = resolve(node)
    match node["type"]:
        case "typed-dict" if step in node["fields"]:
            return cast(Node, node["fields"][step]["schema"])
        case "dict":
            return cast(Node, node["values_schema"])
        case "list":
            return cast(Node, node["items_schema"])
    return {"type": "any"}


def at(path: Sequence[str | int], data: Any) -> Node:
    """The node that a path leads to, by the choices that the data makes on the way."""
    node, value = resolve(schema()), data
    for step in path:
        node = resolve(child(_chosen(node, value), step))
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            value = None
    return _chosen(node, value)


def _chosen(node: Node, value: Any) -> Node:
    if node["type"] not in ("union", "tagged-union"):
        return node
    tagged = node["type"] == "tagged-union" and isinstance(value, dict)
    label = value.get("kind") if tagged else shape(value)
    return resolve(choice(node, label)) if label in labels(node) else node


def keys(node: Node) -> tuple[str, ...]:
    """The keys that a mapping may have; none where they are the author's own."""
    node = resolve(node)
    return tuple(node["fields"]) if node["type"] == "typed-dict" else ()


def shapes(node: Node) -> tuple[str, ...]:
    """What a node takes, in the manifest's words."""
    node = resolve(node)
    match node["type"]:
        case "union":
            return labels(node)
        case "literal":
            return tuple(dict.fromkeys(_NAMES[type(each).__name__] for each in node["expected"]))
        case "any":
            return tuple(dict.fromkeys(_NAMES.values()))
    return (_NAMES[node["type"]],)


_NAMES = {
    "str": "text",
    "int": "whole number",
    "float": "number",
    "bool": "true or false",
    "list": "list",
    "dict": "mapping",
    "typed-dict": "mapping",
    "tagged-union": "mapping",
}


def values(node: Node) -> tuple[str | int, ...]:
    """The values that a node names one by one; none where it does not."""
    return tuple(_values(resolve(node)))


def _values(node: Node) -> Iterator[str | int]:
    match node["type"]:
        case "literal":
            yield from node["expected"]
        case "union":
            for each, _ in node["choices"]:
                yield from _values(resolve(each))


def possible_keys(node: Node) -> frozenset[str]:
    """The keys that a mapping may have, whichever of the choices that there are it is."""
    node = resolve(node)
    if node["type"] in ("union", "tagged-union"):
        return frozenset().union(*(possible_keys(choice(node, name)) for name in labels(node)))
    return frozenset(keys(node))


@cache
def handler_kinds() -> tuple[str, ...]:
    """The kinds of handlers that need no plug-in."""
    role = child(child(schema(), "roles"), "any")
    return labels(child(role, "handler"))


@cache
def owners() -> Mapping[str, tuple[str, ...]]:
    """Every key of the language, and the names of the mappings that have it, in their order."""
    found: dict[str, tuple[str, ...]] = {}
    for node in _mappings(schema()):
        for key in node["fields"]:
            title = node["config"]["title"]
            if title not in found.get(key, ()):
                found[key] = (*found.get(key, ()), title)
    return found


def _mappings(node: Any) -> Iterator[Node]:
    if isinstance(node, dict):
        if node.get("type") == "typed-dict":
            yield node
        for inner in node.values():
            yield from _mappings(inner)
    elif isinstance(node, list | tuple):
        for inner in node:
            yield from _mappings(inner)


def explainable(path: Sequence[str | int]) -> str:
    """The last step of a path that is a key of the language, and not a name of the author's own."""
    node, last = resolve(schema()), "forge"
    for step in path:
        inside_choice = node["type"] in ("union", "tagged-union", "any")
        if step in keys(node) or (inside_choice and step in owners()):
            last = str(step)
        node = resolve(child(node, step))
    return last
