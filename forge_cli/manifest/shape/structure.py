"""Where plain data has not the shape of a manifest, and the data as the semantic rules get it."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from forge_cli.manifest.findings import Path
from forge_cli.manifest.shape.combinations import combination_faults
from forge_cli.manifest.shape.faults import StructureError
from forge_cli.manifest.shape.language import at, child, handler_kinds, possible_keys
from forge_cli.manifest.shape.mend import mended
from forge_cli.manifest.shape.soundness import is_sound

if TYPE_CHECKING:
    from forge_cli.manifest.shape.plugins import Plugged

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


def structure(
    data: Any, holes: frozenset[Path] = frozenset(), doubled: frozenset[Path] = frozenset()
) -> Structure:
    """Hold plain data against the language.

    `holes` are the paths of mappings that lack a key only because its reader left it out, `doubled`
    of those that have one twice. No data (None) has no faults of its own: its reader has told why
    there is none.
    """
    if data is None:
        return Structure((), {}, frozenset({()}), frozenset())
    nulls, names = _survey(data)
    own, plugged = _apart(data)
    errors = _distinct(islice(chain(nulls, _shape_faults(own)), MAX_FAULTS + 1))
    errors = [e._replace(repeated=True) if e.path[:-1] in doubled else e for e in errors]
    if len(errors) > MAX_FAULTS:
        return Structure(tuple(errors), {}, frozenset({()}), names, hopeless=True)
    sound, lost = mended(own, errors)
    if plugged:
        from forge_cli.manifest.shape.plugins import joined, plug_in_faults

        sound = joined(sound, plugged)
        errors += plug_in_faults(plugged)
    # Below a value that was mended, what is found is not what somebody wrote.
    told = {error.path for error in errors}
    together = combination_faults(sound, lost | {(*hole, "") for hole in holes})
    errors += [fault for fault in together if fault.path[:-1] not in told]
    return Structure(tuple(_causes(errors, holes, own)), sound, lost, names)


def _shape_faults(data: Any) -> Iterator[StructureError]:
    if is_sound(data):
        return iter(())
    from forge_cli.manifest.shape.shapes import shape_faults

    return shape_faults(data)


def _apart(data: Any) -> "tuple[Any, Mapping[str, Plugged]]":
    """The data without the settings of plug-ins, and these; the import is for who has some."""
    foreign = list(_foreign(data.get("roles"))) if isinstance(data, dict) else []
    if not foreign:
        return data, {}
    from forge_cli.manifest.shape.plugins import apart

    return apart(data, foreign)


def _foreign(roles: Any) -> Iterator[str]:
    """The roles whose handler is of a kind that forge has not."""
    for name, role in roles.items() if isinstance(roles, dict) else ():
        handler = role.get("handler") if isinstance(role, dict) else None
        kind = handler.get("kind") if isinstance(handler, dict) else None
        if isinstance(kind, str) and kind not in handler_kinds():
            yield name


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


def _causes(
    errors: list[StructureError], holes: frozenset[Path], data: Any
) -> Iterator[StructureError]:
    """The faults that do not only follow from another one."""
    unknown = [error for error in errors if error.rule == "unknown-key"]
    meant = {(*error.path[:-1], error.replaced) for error in unknown if error.replaced}
    strange = {error.path for error in unknown}
    below = {error.path for error in errors if error.rule == "wrong-type"}
    empty = [error.path for error in errors if error.rule == "null-value"]
    for error in errors:
        if error.rule == "null-value" and any(
            error.path[:length] in below for length in range(1, len(error.path))
        ):
            continue
        if error.rule == "unknown-key" and _belongs_below(error, empty, data):
            continue
        if error.path in holes and _follows_from_hole(error):
            continue
        if error.rule == "missing-key" and (*error.path, error.key) in meant:
            continue
        deepest = len(error.path) - (error.rule == "unknown-key")
        if not any(error.path[:length] in strange for length in range(1, deepest + 1)):
            yield error


def _belongs_below(error: StructureError, empty: list[Path], data: Any) -> bool:
    """Whether a key belongs to one beside it that has no value: it is not indented enough."""
    *above, key = error.path
    beside = (path for path in empty if list(path[:-1]) == above)
    return any(key in possible_keys(child(at(above, data), path[-1])) for path in beside)


def _follows_from_hole(error: StructureError) -> bool:
    """Whether it only says that a mapping lacks what its reader left out of it.

    One of which nothing is left may not have been meant as a mapping: `{{ x }}` is not.
    """
    if error.rule == "wrong-type":
        return bool(error.value == {})
    return error.rule in ("missing-key", "out-of-range")
