"""Where plain data has not the shape of a manifest, and the data as the semantic rules get it."""

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any, NamedTuple

from forge_cli.manifest.findings import Path
from forge_cli.manifest.shape.combinations import combination_faults
from forge_cli.manifest.shape.faults import StructureError
from forge_cli.manifest.shape.language import handler_kinds
from forge_cli.manifest.shape.mend import mended
from forge_cli.manifest.shape.soundness import is_sound

MAX_FAULTS = 1_000
"""Faults of the shape that are told; a file with more is no manifest, or a bomb."""


class Structure(NamedTuple):
    """The structural faults, and the data as the semantic rules get it.

    `data` has only known keys, and each value that is there has the right shape; any key may be
    missing. List indexes and the names of items, roles and so on are those of the file. `lost`
    are the paths of values whose meaning is not known because of a fault; `keys` holds every key
    that occurs anywhere. A manifest with more than `MAX_FAULTS` faults is `hopeless`: it has the
    first of them and no data.
    """

    errors: tuple[StructureError, ...]
    data: dict[str, Any]
    lost: frozenset[Path]
    keys: frozenset[str]
    hopeless: bool = False


def structure(data: Any, holes: frozenset[Path] = frozenset()) -> Structure:
    """Hold plain data against the language.

    `holes` are the paths of mappings that lack a key only because its reader left it out. No data
    (None) has no faults of its own: its reader has told why there is none.
    """
    if data is None:
        return Structure((), {}, frozenset({()}), frozenset())
    nulls, names = _survey(data)
    errors = _distinct(islice(chain(nulls, _shape_faults(data)), MAX_FAULTS + 1))
    if len(errors) > MAX_FAULTS:
        return Structure(tuple(errors), {}, frozenset({()}), names, hopeless=True)
    sound, lost = mended(data, errors)
    sound = _without_plug_ins_keys(sound)
    # Below a value that was mended, what is found is not what somebody wrote.
    told = {error.path for error in errors}
    together = combination_faults(sound, lost | {(*hole, "") for hole in holes})
    errors += [fault for fault in together if fault.path[:-1] not in told]
    return Structure(tuple(_causes(errors, holes)), sound, lost, names)


def _shape_faults(data: Any) -> Iterator[StructureError]:
    if is_sound(data):
        return iter(())
    from forge_cli.manifest.shape.shapes import shape_faults

    return shape_faults(data)


def _without_plug_ins_keys(data: dict[str, Any]) -> dict[str, Any]:
    """The data with only the kind of those handlers whose other keys a plug-in knows."""
    kinds = ("", *handler_kinds())
    foreign = {
        name: {**role, "handler": {"kind": role["handler"]["kind"]}}
        for name, role in data.get("roles", {}).items()
        if role.get("handler", {}).get("kind", "") not in kinds
    }
    return {**data, "roles": {**data["roles"], **foreign}} if foreign else data


def _distinct(errors: Iterable[StructureError]) -> list[StructureError]:
    """One fault for each place: a union is refused once for each of its choices."""
    found: dict[tuple[Path, str, str], StructureError] = {}
    for error in errors:
        found.setdefault((error.path, error.part, error.key), error)
    return list(found.values())


def _survey(data: Any) -> tuple[list[StructureError], frozenset[str]]:
    """Every null outside of JSON Schemas (where null means something), and every key.

    No more nulls are listed than are told.
    """
    nulls: list[StructureError] = []
    names: set[str] = set()
    rest: list[tuple[Path, Any]] = [((), data)]
    while rest:
        path, value = rest.pop()
        if isinstance(value, dict):
            names.update(value)
            if not (len(path) == 2 and path[0] == "schemas"):
                rest += [((*path, k), v) for k, v in value.items() if type(v) in _OPEN]
        elif isinstance(value, list):
            rest += [((*path, k), v) for k, v in enumerate(value) if type(v) in _OPEN]
        elif value is None and path and len(nulls) <= MAX_FAULTS:
            nulls.append(StructureError("null-value", path))
    return nulls, frozenset(names)


_OPEN = frozenset({type(None), dict, list})
"""What is a null or may hold one."""


def _causes(errors: list[StructureError], holes: frozenset[Path]) -> Iterator[StructureError]:
    """The faults that do not only follow from another one."""
    unknown = [error for error in errors if error.rule == "unknown-key"]
    meant = {(*error.path[:-1], error.replaced) for error in unknown if error.replaced}
    strange = {error.path for error in unknown}
    for error in errors:
        if error.path in holes and _follows_from_hole(error):
            continue
        if error.rule == "missing-key" and (*error.path, error.key) in meant:
            continue
        deepest = len(error.path) - (error.rule == "unknown-key")
        if not any(error.path[:length] in strange for length in range(1, deepest + 1)):
            yield error


def _follows_from_hole(error: StructureError) -> bool:
    """Whether it only says that a mapping lacks what its reader left out of it.

    One of which nothing is left may not have been meant as a mapping: `{{ x }}` is not.
    """
    if error.rule == "wrong-type":
        return bool(error.value == {})
    return error.rule in ("missing-key", "out-of-range")
