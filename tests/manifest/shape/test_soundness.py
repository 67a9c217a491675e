"""The judge of shapes against pydantic-core: sound is exactly what that accepts."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from pydantic_core import SchemaValidator

from forge_cli.manifest.reading.source import parse
from forge_cli.manifest.shape import soundness
from forge_cli.manifest.shape.language import Node, schema
from forge_cli.manifest.shape.soundness import is_sound

ROOT = Path(__file__).parents[3]
DOCUMENTS = sorted(
    [
        *(ROOT / "tests" / "manifest").glob("*/*.forge.yaml"),
        *(ROOT / "manifests").glob("*.yaml"),
    ]
)
SCALARS: list[Any] = [None, True, False, 0, 1, -1, 2, 256, 2**53 - 1, 2**53, 0.0, 0.5, 1.0, 1e9]
SCALARS += [float("inf"), -0.5, "", " ", "\n", "\t", "x", "x\n", "\nx", " x ", "X", "é", "x" * 64]
SCALARS += ["x" * 65, "a@1", "a@1\n", "a@0", "1.0.0", "1.0.0\n", "01.0.0", "h.py:f", "h.py:f\n"]
SCALARS += ["0.5", "1.0\n", "255", "256", "1\n", "fail", "restore", "required", "function", "x-y"]
SCALARS += [["x"], ["x", "x\n"], {"x": "x"}, {"x\n": "x"}, {"kind": "x"}, {"kind": ["x"]}]
VALUES = [
    *SCALARS,
    [],
    {},
    *([each] for each in SCALARS),
    *({"x": each} for each in SCALARS),
    *({each: "x"} for each in SCALARS if isinstance(each, str)),
]
CONSTRAINTS = {
    "any": set(),
    "bool": set(),
    "definition-ref": {"schema_ref"},
    "definitions": {"schema", "definitions"},
    "dict": {"keys_schema", "values_schema", "min_length"},
    "float": {"ge", "le", "allow_inf_nan"},
    "int": {"ge", "le"},
    "list": {"items_schema", "min_length"},
    "literal": {"expected"},
    "str": {"pattern"},
    "tagged-union": {"discriminator", "choices", "from_attributes", "strict"},
    "typed-dict": {"fields", "extra_behavior", "config", "ref"},
    "typed-dict-field": {"schema", "required"},
    "union": {"choices"},
}
"""What each node of the language says, and the judge knows."""


def nodes(value: Any) -> Iterator[Node]:
    if isinstance(value, dict):
        if isinstance(value.get("type"), str):
            yield value
        for each in value.values():
            yield from nodes(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from nodes(each)


def validator(node: Node) -> SchemaValidator:
    if node["type"] == "definitions":
        return SchemaValidator(cast(Any, node))
    whole = {"type": "definitions", "schema": node, "definitions": schema()["definitions"]}
    return SchemaValidator(cast(Any, whole), cast(Any, {"strict": True}))


def test_the_language_says_nothing_that_is_not_judged() -> None:
    for node in nodes(schema()):
        assert set(node) - {"type"} <= CONSTRAINTS[node["type"]]


def test_every_value_is_judged_alike_at_every_place() -> None:
    distinct = {repr(node): node for node in nodes(schema()) if node["type"] != "typed-dict-field"}
    for node in distinct.values():
        accepts = validator(node).isinstance_python
        judge = soundness._judge(node)
        for value in VALUES:
            assert judge(value) == accepts(value), (node, value)


def document(path: Path) -> dict[str, Any]:
    data = parse(path.read_bytes()).data
    assert data is not None
    return data


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container with each of its keys or indexes."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(pairs):
        yield value, key
        if isinstance(inner, dict | list):
            yield from places(inner)


def mutations(holder: Any, key: Any) -> Iterator[None]:
    """Changes one place in one way after the other, and leaves it as it was."""
    kept = copy.copy(holder)
    for value in SCALARS[::3]:
        holder[key] = value
        yield
    del holder[key]
    yield
    if isinstance(holder, dict):
        holder[f"{key}s"] = kept[key]
        yield
        holder.clear()
        holder.update(kept)
    else:
        holder[:] = kept


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_a_document_with_one_change_is_judged_alike(path: Path) -> None:
    data = document(path)
    accepts = validator(schema()).isinstance_python
    assert is_sound(data)
    judged = set()
    for holder, key in places(data):
        for _ in mutations(holder, key):
            sound = is_sound(data)
            assert sound == accepts(data), (holder, key)
            judged.add(sound)
    assert data == document(path)
    assert judged == {True, False}
