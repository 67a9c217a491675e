"""Where plain data has not the shape of a manifest, and the data as the semantic rules get it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from pydantic_core import ErrorDetails, ValidationError

from forge_cli.manifest.combinations import combination_faults
from forge_cli.manifest.faults import StructureError, misshapen, mistyped
from forge_cli.manifest.findings import Path
from forge_cli.manifest.language import (
    Node,
    child,
    choice,
    keys,
    labels,
    resolve,
    shapes,
    validator,
    values,
)
from forge_cli.manifest.language import schema as language
from forge_cli.manifest.mend import mended
from forge_cli.manifest.naming import shape
from forge_cli.manifest.plugins import is_installed

_RANGES = {
    "greater_than_equal": ("ge", "at least"),
    "less_than_equal": ("le", "at most"),
    "finite_number": (None, "finite"),
    "too_short": ("min_length", "at least"),
}
_WRONG_TYPES = frozenset(
    {"string_type", "int_type", "float_type", "bool_type", "list_type", "dict_type"}
)


@dataclass(frozen=True, slots=True)
class Structure:
    """The structural faults, and the data as the semantic rules get it.

    `data` has only known keys, and each value that is there has the right shape; any key may be
    missing. List indexes and the names of items, roles and so on are those of the file. `lost`
    are the paths of values whose meaning is not known because of a fault; `keys` holds every key
    that occurs anywhere.
    """

    errors: tuple[StructureError, ...]
    data: dict[str, Any]
    lost: frozenset[Path]
    keys: frozenset[str]


def structure(data: Any, holes: frozenset[Path] = frozenset()) -> Structure:
    """Hold plain data against the language.

    `holes` are the paths of mappings that lack a key only because its reader left it out. No data
    (None) has no faults of its own: its reader has told why there is none.
    """
    if data is None:
        return Structure((), {}, frozenset({()}), frozenset())
    nulls, names = _survey(data)
    errors = _distinct([*_shape_faults(data), *nulls])
    sound, lost = mended(data, errors)
    errors += combination_faults(sound, lost | {(*hole, "") for hole in holes})
    return Structure(tuple(_causes(errors, holes)), sound, lost, names)


def _distinct(errors: list[StructureError]) -> list[StructureError]:
    """One fault for each place: a union is refused once for each of its choices."""
    return list({(each.path, each.part, each.key): each for each in reversed(errors)}.values())[
        ::-1
    ]


def _shape_faults(data: Any) -> Iterator[StructureError]:
    try:
        validator().validate_python(data)
    except ValidationError as refusal:
        for detail in refusal.errors(include_url=False):
            fault = _translate(detail, data)
            if fault is not None:
                yield fault


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
    node, value = resolve(language()), data
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
    return mistyped(trace.path, trace.value, shapes(trace.node))


def _unknown_key(location: tuple[int | str, ...], data: Any) -> StructureError:
    parent = _trace(location[:-1], data)
    name = str(location[-1])
    return StructureError(
        "unknown-key",
        (*parent.path, name),
        "key",
        value=parent.value[name],
        known=keys(parent.node),
        present=tuple(parent.value),
    )


def _missing_key(location: tuple[int | str, ...], data: Any) -> StructureError:
    parent = _trace(location[:-1], data)
    name = str(location[-1])
    return StructureError("missing-key", parent.path, "key", key=name, present=tuple(parent.value))


def _unknown_kind(trace: _Trace) -> StructureError | None:
    kinds = labels(trace.node)
    if "kind" not in trace.value:
        return StructureError(
            "missing-key", trace.path, "key", key="kind", present=tuple(trace.value), known=kinds
        )
    kind, path = trace.value["kind"], (*trace.path, "kind")
    if kind is None or (isinstance(kind, str) and is_installed(kind)):
        return None
    if isinstance(kind, str):
        return StructureError("unknown-kind", path, value=kind, known=kinds)
    return mistyped(path, kind, ("text",))


def _wrong_value(kind: str, trace: _Trace, detail: ErrorDetails) -> StructureError | None:
    if kind == "literal_error":
        known = values(trace.node)
        if shape(trace.value) not in shapes(trace.node):
            return _mistyped(trace)
        return StructureError(
            "unknown-value", trace.path, value=trace.value, known=tuple(map(str, known))
        )
    if kind in _RANGES:
        limit, words = _RANGES[kind]
        bound = f"{words} {detail['ctx'][limit]}" if limit else words
        return StructureError("out-of-range", trace.path, value=trace.value, limit=bound)
    if kind in _WRONG_TYPES:
        return _mistyped(trace)
    raise AssertionError(f"pydantic-core found {kind} at {trace.path}, which has no translation")


def _survey(data: Any) -> tuple[list[StructureError], frozenset[str]]:
    """Every null outside of JSON Schemas (where null means something), and every key."""
    nulls: list[StructureError] = []
    names: set[str] = set()
    rest: list[tuple[Path, Any]] = [((), data)]
    while rest:
        path, value = rest.pop()
        if isinstance(value, dict):
            names.update(value)
            if not (len(path) == 2 and path[0] == "schemas"):
                rest += [((*path, name), each) for name, each in _open(value.items())]
        elif isinstance(value, list):
            rest += [((*path, index), each) for index, each in _open(enumerate(value))]
        elif value is None and path:
            nulls.append(StructureError("null-value", path))
    return nulls, frozenset(names)


def _open(pairs: Any) -> Iterator[tuple[Any, Any]]:
    return ((step, each) for step, each in pairs if each is None or isinstance(each, list | dict))


def _causes(errors: list[StructureError], holes: frozenset[Path]) -> Iterator[StructureError]:
    """The faults that do not only follow from another one."""
    unknown = [error for error in errors if error.rule == "unknown-key"]
    meant = {(*error.path[:-1], error.suggestion.word) for error in unknown if error.suggestion}
    strange = {error.path for error in unknown}
    for error in errors:
        if error.rule == "missing-key" and (
            error.path in holes or (*error.path, error.key) in meant
        ):
            continue
        deepest = len(error.path) - (error.rule == "unknown-key")
        if not any(error.path[:length] in strange for length in range(1, deepest + 1)):
            yield error
