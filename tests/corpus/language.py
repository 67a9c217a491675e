"""Which keys of the language a manifest uses, and where; names of its author's own are none."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from forge_cli.manifest.findings import Path
from forge_cli.manifest.shape.language import Node, at, schema


class Use(NamedTuple):
    """A key at a path; `mapping` is the name of the kind of mapping that it is a key of."""

    mapping: str
    key: str
    path: Path
    node: Node


def uses(data: Any, path: Path = (), whole: Any = None) -> Iterator[Use]:
    """Every key of the language in plain data, from the top."""
    whole = data if whole is None else whole
    if isinstance(data, list):
        for index, value in enumerate(data):
            yield from uses(value, (*path, index), whole)
    elif isinstance(data, dict):
        node = at(path, whole)
        for key, value in data.items():
            inner = (*path, key)
            if node["type"] == "typed-dict":
                yield Use(node["config"]["title"], key, inner, node["fields"][key]["schema"])
            yield from uses(value, inner, whole)


def all_keys() -> set[tuple[str, str]]:
    """Every key of the language with the name of its mapping."""
    return set(_keys(schema()))


def _keys(value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        if value.get("type") == "typed-dict":
            yield from ((value["config"]["title"], key) for key in value["fields"])
        value = list(value.values())
    for each in value if isinstance(value, list | tuple) else ():
        yield from _keys(each)
