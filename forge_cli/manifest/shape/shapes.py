"""Refusals of the validator as structural faults, told for what the input resembles."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, cast

from pydantic_core import ErrorDetails, SchemaError, SchemaValidator, ValidationError

from forge_cli.manifest.findings import Path
from forge_cli.manifest.naming import shape
from forge_cli.manifest.shape.faults import StructureError, misshapen, mistyped
from forge_cli.manifest.shape.language import (
    Node,
    child,
    choice,
    keys,
    labels,
    resolve,
    schema,
    shapes,
    values,
)

_RANGES = {
    "greater_than_equal": ("ge", "at least"),
    "less_than_equal": ("le", "at most"),
    "finite_number": (None, "finite"),
    "too_short": ("min_length", "at least"),
}
_WRONG_TYPES = frozenset(
    {"string_type", "int_type", "float_type", "bool_type", "list_type", "dict_type"}
)


def shape_faults(data: Any) -> Iterator[StructureError]:
    """Every place where the data has not the language's types, keys and forms, as it is asked for.

    A union is refused once for each of its choices: its faults may come more than once.
    """
    try:
        _validator().validate_python(data)
    except ValidationError as refusal:
        details = refusal.errors(include_url=False, include_input=False)
    else:
        return
    for detail in details:
        fault = _translate(detail, data)
        if fault is not None:
            yield fault


@cache
def _validator() -> SchemaValidator:
    """A pydantic-core that refuses the checked-in schema gets one of the pydantic it belongs to."""
    try:
        return SchemaValidator(cast(Any, schema()))
    except SchemaError:
        from forge_cli.manifest.shape.generate import core_schema

        return SchemaValidator(cast(Any, core_schema()["schema"]))


@dataclass(frozen=True, slots=True)
class _Trace:
    """Where pydantic-core's location leads: the path in the data, and the node of the language."""

    path: Path
    node: Node
    value: Any
    fits: bool = True


def _trace(location: tuple[int | str, ...], data: Any) -> _Trace:
    """Follow a location; steps that name a choice of a union are in no path.

    Stops with `fits` false at a union whose choice does not resemble the value: another choice
    tells the fault, or none does and the whole union is the fault.
    """
    path: Path = ()
    node, value = resolve(schema()), data
    for step in location:
        if node["type"] in ("union", "tagged-union"):
            if node["type"] == "union" and not _resembles(str(step), value):
                return _Trace(path, node, value, fits=False)
            node = resolve(choice(node, str(step)))
            continue
        path = (*path, step)
        node = resolve(child(node, step))
        value = _inside(value, step)
    return _Trace(path, node, value)


def _inside(value: Any, step: int | str) -> Any:
    if isinstance(value, dict):
        return value.get(step)
    return value[step] if isinstance(value, list) and isinstance(step, int) else None


def _resembles(label: str, value: Any) -> bool:
    found = shape(value)
    return label == found or (label == "number" and found == "whole number")


def _translate(detail: ErrorDetails, data: Any) -> StructureError | None:
    kind, location = detail["type"], detail["loc"]
    if kind == "extra_forbidden":
        return _unknown_key(location, data)
    if kind == "missing":
        return _missing_key(location, data)
    part: Literal["key", "value"] = "value"
    if kind == "string_pattern_mismatch" and location[-1] == "[key]":
        part, location = "key", location[:-1]
    trace = _trace(location, data)
    if not trace.fits:
        return _unfit(trace)
    if kind == "string_pattern_mismatch":
        value = location[-1] if part == "key" else trace.value
        return misshapen(trace.path, part, value, detail["ctx"]["pattern"])
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        return _unknown_kind(trace)
    return _wrong_value(kind, trace, detail)


def _unfit(trace: _Trace) -> StructureError | None:
    """The fault of a union none of whose choices resembles the value."""
    if any(_resembles(label, trace.value) for label in labels(trace.node)):
        return None
    return _mistyped(trace)


def _mistyped(trace: _Trace) -> StructureError | None:
    """A fault of type; none for null, which is told as such."""
    if trace.value is None and trace.path:
        return None
    known = tuple(map(str, values(trace.node)))
    return mistyped(trace.path, trace.value, shapes(trace.node), known)


def _unknown_key(location: tuple[int | str, ...], data: Any) -> StructureError:
    parent = _trace(location[:-1], data)
    name = str(location[-1])
    known = keys(parent.node)
    return StructureError(
        "unknown-key",
        (*parent.path, name),
        "key",
        value=parent.value[name],
        known=known,
        present=tuple(key for key in known if key in parent.value),
        mappings=tuple(key for key in known if "mapping" in shapes(child(parent.node, key))),
    )


def _missing_key(location: tuple[int | str, ...], data: Any) -> StructureError:
    parent = _trace(location[:-1], data)
    name = str(location[-1])
    return StructureError("missing-key", parent.path, "key", key=name)


def _unknown_kind(trace: _Trace) -> StructureError | None:
    kinds = labels(trace.node)
    if "kind" not in trace.value:
        return _misspelt_kind(trace) or _no_kind(trace)
    kind, path = trace.value["kind"], (*trace.path, "kind")
    if kind is None:
        return None
    if isinstance(kind, str):
        return StructureError("unknown-kind", path, value=kind, known=kinds)
    return mistyped(path, kind, ("text",))


def _no_kind(trace: _Trace) -> StructureError:
    """Known are all kinds, first those that have the keys which are there."""
    written = frozenset(trace.value)
    kinds = sorted(
        labels(trace.node), key=lambda kind: not written <= {*keys(choice(trace.node, kind))}
    )
    return StructureError("missing-key", trace.path, "key", key="kind", known=tuple(kinds))


def _misspelt_kind(trace: _Trace) -> StructureError | None:
    """The key that was probably meant as `kind`, without which no other one can be judged."""
    choices = (keys(choice(trace.node, kind)) for kind in labels(trace.node))
    taken = frozenset().union(*choices)
    for name, value in trace.value.items():
        error = StructureError(
            "unknown-key", (*trace.path, name), "key", value=value, known=("kind",)
        )
        if name not in taken and error.suggestion:
            return error
    return None


def _wrong_value(kind: str, trace: _Trace, detail: ErrorDetails) -> StructureError | None:
    if kind == "literal_error":
        known = values(trace.node)
        if shape(trace.value) not in shapes(trace.node):
            return _mistyped(trace)
        return StructureError(
            "unknown-value", trace.path, value=trace.value, known=tuple(map(str, known))
        )
    if kind in _RANGES and trace.path == ("forge",):
        return StructureError("unknown-value", trace.path, value=trace.value, known=("1",))
    if kind in _RANGES:
        limit, words = _RANGES[kind]
        bound = f"{words} {_plain(detail['ctx'][limit])}" if limit else words
        return StructureError("out-of-range", trace.path, value=trace.value, limit=bound)
    if kind in _WRONG_TYPES:
        return _mistyped(trace)
    raise AssertionError(f"pydantic-core found {kind} at {trace.path}, which has no translation")


def _plain(bound: float) -> int | float:
    """A bound without a fraction that says nothing: 0 for 0.0."""
    return int(bound) if bound == int(bound) else bound
