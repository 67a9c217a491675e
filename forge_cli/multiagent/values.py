"""Copies of JSON values that share nothing with the original."""

import json
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy

from forge_cli.multiagent.terms import Json

_SCALARS = frozenset({str, int, float, bool, type(None)})


def copied(value: Json) -> Json:
    """A copy that no later change to the original reaches.

    Much faster than `deepcopy`, because JSON values hold neither cycles nor shared parts; what is
    not JSON still goes that way.
    """
    kind = type(value)
    if kind in _SCALARS:
        return value
    if kind is list:
        return [copied(element) for element in value]
    if kind is dict or isinstance(value, Mapping):
        return {key: copied(element) for key, element in value.items()}
    return deepcopy(value)


def is_artifact(value: Json) -> bool:
    """Whether the value only says where a larger one is kept: digest and bytes of its JSON.

    Only the engine writes such values; results in which they stand are rejected.
    """
    return isinstance(value, dict) and value.keys() == {"artifact", "bytes"}


def noted(value: Json) -> Iterator[dict[str, Json]]:
    """Every note in a value, at any depth, that something is kept as an artifact."""
    if isinstance(value, dict):
        if is_artifact(value):
            yield value
        for element in value.values():
            yield from noted(element)
    elif isinstance(value, list | tuple):
        for element in value:
            yield from noted(element)


def weight(package: Mapping[str, Json]) -> int:
    """Bytes of a context package as compact JSON in UTF-8, without the limit that it states."""
    said = {key: value for key, value in package.items() if key != "max_bytes"}
    return len(json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode())


def words(values: Iterable[str], what: str) -> frozenset[str]:
    """The words as a set; `ValueError` for a single text, whose letters are no words.

    `what` says in the error what the words are, such as "capabilities of role 'builder'".
    """
    if isinstance(values, str):
        raise ValueError(
            f"{what} must be a set of words, not the text {values!r}; write {{{values!r}}}"
        )
    return frozenset(values)


def quoted(names: Iterable[str]) -> str:
    """The names for an error text: sorted, in quotes, or `nothing`."""
    return ", ".join(repr(name) for name in sorted(names)) or "nothing"
