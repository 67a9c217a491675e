"""What a project says in the table `[tool.forge]` of its pyproject.toml."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from forge_cli.app.selection import rules, warnings
from forge_cli.errors import ForgeError
from forge_cli.manifest.naming import brief
from forge_cli.manifest.reading.projects import PROJECT
from forge_cli.manifest.suggest import nearest


@dataclass(frozen=True, slots=True)
class Settings:
    """The table's values; `manifests` is None where none are named, or they lie further up."""

    manifests: tuple[str, ...] | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    strict: bool = False


def settings(path: str, data: bytes) -> Settings | None:
    """The settings in the bytes of a pyproject.toml, if it has that table.

    `path` is its name; `ForgeError` with the place of a fault.
    """
    import tomllib

    try:
        text = data.decode()
        tool = tomllib.loads(text).get("tool", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ForgeError(f"'{path}' cannot be read: {error}") from None
    table = tool.get("forge") if isinstance(tool, dict) else tool
    if table is None:
        return None
    if not isinstance(table, dict):
        raise ForgeError(f"'tool.forge' in '{path}' must be a table; write  [tool.forge]")
    values: dict[str, Any] = {}
    for key, value in table.items():
        try:
            values[key] = _value(key, value)
        except ValueError as error:
            raise ForgeError(f"{path}:{_line(text, key)}: [tool.forge] {error}") from None
    if path != PROJECT:
        # Who works in a folder below means that folder, under the project's rules.
        values.pop("manifests", None)
    return Settings(**values)


def _value(key: str, value: Any) -> Any:
    if key not in _READERS:
        meant = nearest(key, tuple(_READERS))
        advice = f"did you mean '{meant}'?" if meant else f"known: {', '.join(_READERS)}"
        raise ValueError(f"has no key '{key}'; {advice}")
    return _READERS[key](key, value)


def _texts(key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        what = "paths" if key == "manifests" else "rules"
        typed = f'{key} = ["{_EXAMPLES[key]}"]'
        raise ValueError(f"{key} must be a list of {what}, found {_shown(value)}; write  {typed}")
    return tuple(value)


def _paths(key: str, value: Any) -> tuple[str, ...]:
    paths = _texts(key, value)
    for path in paths:
        if "\0" in path:
            raise ValueError(f"{key} has {_shown(path)}, which can be the name of no file")
    return paths


def _selected(key: str, value: Any) -> tuple[str, ...]:
    return tuple(rule for text in _texts(key, value) for rule in rules(text))


def _ignored(key: str, value: Any) -> tuple[str, ...]:
    return tuple(rule for text in _texts(key, value) for rule in warnings(text))


def _flag(key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        typed = f"{key} = true"
        raise ValueError(f"{key} must be true or false, found {_shown(value)}; write  {typed}")
    return value


def _shown(value: Any) -> str:
    return brief(repr(value))


_EXAMPLES = {"manifests": "manifests", "select": "dependency-cycle", "ignore": "unused-role"}
_READERS: Mapping[str, Callable[[str, Any], Any]] = {
    "manifests": _paths,
    "select": _selected,
    "ignore": _ignored,
    "strict": _flag,
}


def _line(text: str, key: str) -> int:
    """The line of a key of the table; if that is written otherwise, of its name, or the first."""
    table = re.search(r"(?m)^[ \t]*\[[ \t]*tool[ \t]*\.[ \t]*forge[ \t]*\]", text)
    begin = table.end() if table else 0
    written = re.compile(rf"""(?m)^[ \t]*["']?{re.escape(key)}["']?[ \t]*=""").search(text, begin)
    return text.count("\n", 0, written.end() if written else begin) + 1
