"""Stand-ins for faulty values, so that what is sound can still be judged.

A stand-in keeps what was meant where that is plain (`5` for the text "5", a lone word for a list
of one), and list indexes always; otherwise the value is taken out and its path reported as lost.
"""

from collections.abc import Iterable
from typing import Any

from forge_cli.manifest.findings import Path
from forge_cli.manifest.shape.faults import StructureError

_GONE = object()
_AS_THEY_ARE = frozenset({"id-not-slug", "wrong-form", "missing-key"})


def mended(data: Any, errors: Iterable[StructureError]) -> tuple[dict[str, Any], frozenset[Path]]:
    """The data with right shapes only, and the paths whose meaning is not known any more.

    What holds no fault is shared with `data`, which stays as it is.
    """
    if not isinstance(data, dict):
        return {}, frozenset({()})
    sound = dict(data)
    copied: set[Path] = {()}
    lost: set[Path] = set()
    for error in errors:
        if error.rule == "missing-key":
            lost.add((*error.path, error.key))
        handler = _unjudged_handler(error)
        if not error.path or (
            error.rule in _AS_THEY_ARE and not _is_blank(error.value) and not handler
        ):
            continue
        path, stand_in = (handler, _GONE) if handler else (error.path, _stand_in(error))
        if stand_in is _GONE and isinstance(path[-1], int):
            stand_in = ""
        if stand_in in (_GONE, "", [], {}):
            lost.add((*path[:-1], error.meant or path[-1]))
        _put(sound, copied, path, stand_in)
    return sound, frozenset(lost)


def _unjudged_handler(error: StructureError) -> Path:
    """The path of a handler whose kind is not known, so that nothing in it was looked at."""
    path = error.path
    if error.rule == "missing-key":
        path = (*path, error.key)
    elif error.meant == "kind":
        path = (*path[:-1], "kind")
    return path[:-1] if path[-2:] == ("handler", "kind") else ()


def _is_blank(value: Any) -> bool:
    return isinstance(value, str) and not value.strip()


def _put(sound: dict[str, Any], copied: set[Path], path: Path, stand_in: Any) -> None:
    """Put a value at a path, copying the containers on the way; nothing if the way is gone."""
    holder: Any = sound
    for length in range(1, len(path)):
        step = path[length - 1]
        inner = _get(holder, step)
        if not isinstance(inner, dict | list):
            return
        if path[:length] not in copied:
            inner = holder[step] = inner.copy()
            copied.add(path[:length])
        holder = inner
    if stand_in is not _GONE:
        holder[path[-1]] = stand_in
    elif isinstance(holder, dict):
        holder.pop(path[-1], None)


def _get(holder: Any, step: str | int) -> Any:
    if isinstance(holder, dict):
        return holder.get(step)
    return holder[step] if isinstance(step, int) and step < len(holder) else None


def _stand_in(error: StructureError) -> Any:
    value = error.value
    if error.rule == "out-of-range" and isinstance(value, list | dict):
        return [""] if isinstance(value, list) else value
    if error.rule not in ("wrong-type", "ambiguous-scalar"):
        return _GONE
    scalar = isinstance(value, str | int | float) and not error.known
    if "text" in error.wanted:
        return _text(value) if scalar else _GONE
    if "list" in error.wanted:
        return [_text(value)] if scalar else []
    if error.wanted == ("mapping",):
        return {}
    if error.wanted == ("whole number",) and isinstance(value, str) and value.isdecimal():
        return int(value)
    if error.wanted == ("true or false",) and value in ("true", "false"):
        return value == "true"
    return _GONE


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
