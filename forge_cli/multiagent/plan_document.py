"""The plan as plain JSON and back, exactly: what is kept, shown, and given a digest."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from functools import partial
from itertools import islice
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.plan import (
    Contract,
    Deadline,
    Grant,
    Handler,
    Input,
    Item,
    Json,
    Plan,
    Retry,
    Role,
    StateKey,
)

FORMAT_VERSION = 1

T = TypeVar("T")


def plan_document(plan: Plan) -> dict[str, Json]:
    """The plan as JSON: fields that have their defaults are left out, sets are sorted lists.

    Items are a list, since their order decides who is first served and JSON's keys have none.
    Forge's own fields hold no floats. The caller takes the digest over all but `digest`.
    """
    return {
        "format_version": FORMAT_VERSION,
        **_encode(replace(plan, items={})),
        "items": [_encode(item) for item in plan.items.values()],
    }


def plan_from_document(document: Mapping[str, Json]) -> Plan:
    """The plan of which this is the document, field by field.

    Raises `ValueError` for another format or for a field that a plan does not have.
    """
    version = document.get("format_version")
    if version != FORMAT_VERSION:
        raise ValueError(f"a plan of format {version!r} cannot be read, only {FORMAT_VERSION}")
    return _plan({key: value for key, value in document.items() if key != "format_version"})


_PLAIN = frozenset({str, int, bool, float, type(None), list})


class _Layout(NamedTuple):
    """A dataclass's fields: names, defaults (or `MISSING`), and what gets the values of a part."""

    names: tuple[str, ...]
    defaults: tuple[Any, ...]
    values: Callable[[Any], tuple[Any, ...]]


_LAYOUTS: dict[type, _Layout] = {}


def _layout_of(kind: type[Any]) -> _Layout:
    found = fields(kind)
    names = tuple(field.name for field in found)
    defaults = tuple(
        f.default if f.default_factory is MISSING else f.default_factory() for f in found
    )
    # With one name it gives the value itself, not a tuple of it.
    layout = _LAYOUTS[kind] = _Layout(names, defaults, attrgetter(*names, names[0]))
    return layout


def _encode(part: Any) -> dict[str, Json]:
    """The fields of a dataclass that have not their defaults."""
    kind = type(part)
    names, defaults, values = _LAYOUTS.get(kind) or _layout_of(kind)
    return {
        name: value if type(value) in _PLAIN else _encode_value(value)
        for name, value, default in zip(names, values(part), defaults, strict=False)
        if value is not default and value != default
    }


def _encode_value(value: Any) -> Json:
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, frozenset):
        return sorted(value)
    if not isinstance(value, Mapping):
        return _encode(value)
    # A mapping is of parts of the plan, or of JSON values throughout, which are left as they are.
    parts = any(is_dataclass(each) for each in islice(value.values(), 1))
    return {name: _encode(each) for name, each in value.items()} if parts else dict(value)


def _decode(kind: Callable[..., T], readers: Mapping[str, Any], document: Json) -> T:
    values = {
        name: readers[name](value) if name in readers and value is not None else value
        for name, value in document.items()
    }
    try:
        return kind(**values)
    except TypeError as error:
        raise ValueError(f"this is no part of a plan: {error}") from None


def _each(reader: Callable[[Json], T]) -> Callable[[Mapping[str, Json]], dict[str, T]]:
    return lambda document: {name: reader(value) for name, value in document.items()}


_budget = partial(_decode, Budget, {})
_deadline = partial(_decode, Deadline, {})
_contract = partial(
    _decode,
    Contract,
    {
        "capabilities": frozenset,
        "scope": tuple,
        "outputs": tuple,
        "budget": _budget,
        "deadline": _deadline,
    },
)
_grant = partial(
    _decode,
    Grant,
    {
        "capabilities": frozenset,
        "actions": frozenset,
        "scope": tuple,
        "writes": tuple,
        "outputs": tuple,
    },
)
_handler = partial(_decode, Handler, {"max_usage": _budget, "metered": frozenset})
_role = partial(
    _decode,
    Role,
    {
        "capabilities": frozenset,
        "outputs": tuple,
        "scope": tuple,
        "handler": _handler,
        "budget": _budget,
        "delegates": tuple,
    },
)
_item = partial(
    _decode,
    Item,
    {
        "children": tuple,
        "grant": _grant,
        "chain": tuple,
        "depends_on": tuple,
        "after": tuple,
        "budget": _budget,
        "deadline": _deadline,
        "criteria": tuple,
        "evidence": tuple,
        "secrets": tuple,
        "channels": tuple,
        "posts": tuple,
        "listens": tuple,
        "retry": partial(_decode, Retry, {"on": frozenset}),
        "compensate": _handler,
    },
)
_plan = partial(
    _decode,
    Plan,
    {
        "items": lambda items: {item.item_id: item for item in map(_item, items)},
        "roles": _each(_role),
        "contracts": _each(_contract),
        "budget": _budget,
        "deadline": _deadline,
        "inputs": _each(partial(_decode, Input, {})),
        "env": tuple,
        "secrets": tuple,
        "state": _each(partial(_decode, StateKey, {})),
    },
)
