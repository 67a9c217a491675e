"""How messages name a place in the manifest and show a value."""

import json
import re
from typing import Any

from forge_cli.handlers.presets import PRESETS
from forge_cli.manifest.findings import Path

_ENTITIES = {
    "work_items": "item",
    "roles": "role",
    "delegations": "delegation",
    "context_packages": "context package",
    "state": "state key",
    "inputs": "input",
    "schemas": "schema",
}
_LONGEST = 60
BREAKS = "which `forge diff` will call breaking"
"""What a hint says of a way out that grants more than was granted."""

_BARE = r"[^\W\d_][\w-]*|[0-9]+[smhd]"
_READ_AS_ELSE = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
"""Words that are no text without quotes, to this reader of YAML or to another."""


def describe(path: Path) -> str:
    """The thing at a path, in words: `item 'review'`, `the handler of role 'builder'`."""
    entity, rest = _entity(path)
    words = [_step(step, rest) for step in reversed(rest)]
    return " of ".join([*words, entity] if entity else words)


def _step(step: str | int, path: Path) -> str:
    if isinstance(step, int):
        return f"entry {step + 1}"
    return "the handler" if step == "handler" == path[0] else f"'{shown(step)}'"


def _entity(path: Path) -> tuple[str, Path]:
    if not path:
        return "the manifest", ()
    if len(path) < 2 or path[0] not in _ENTITIES:
        return "", path
    if path[0] == "work_items" and len(path) >= 4 and path[2] == "sub_tasks":
        return f"sub-task '{shown(path[1])}.{shown(path[3])}'", path[4:]
    return f"{_ENTITIES[str(path[0])]} '{shown(path[1])}'", path[2:]


def entity_of(path: Path) -> Path:
    """The path of the item, sub-task, role, ... that a path leads into; () at the top."""
    if len(path) >= 4 and path[0] == "work_items" and path[2] == "sub_tasks":
        return path[:4]
    return path[:2] if len(path) >= 2 and path[0] in _ENTITIES else ()


def shown(name: object) -> str:
    """A name for messages: characters that may look like others are escaped, long ones cut."""
    text = str(name).encode("ascii", "backslashreplace").decode()
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def brief(text: str, longest: int = 200) -> str:
    """A text for messages, cut where it is long."""
    return text if len(text) <= longest else text[: longest - 3] + "..."


SHORT = 200
"""Characters of a text, or of one word in it, that are never cut."""

_LONG_WORD = rf"\S{{{SHORT + 1},}}"


def readable(text: str, longest: int = 1_000) -> str:
    """A message in which a hostile value takes no more room than it needs to be found.

    Of a word over 200 characters, beginning and end stay; a text over `longest` is cut.
    """
    if len(text) <= SHORT:
        return text
    return brief(
        re.sub(_LONG_WORD, lambda word: f"{word[0][:180]}...{word[0][-17:]}", text), longest
    )


def shape(value: Any) -> str:
    """What a value is, in the manifest's words."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int():
            return "whole number"
        case float():
            return "number"
        case str():
            return "text"
        case list():
            return "list"
    return "mapping"


def flow(value: Any, longest: int = _LONGEST) -> str:
    """A value as it can be typed on one line of YAML; cut where it is long."""
    text = _flow(value)
    return text if len(text) <= longest else text[: longest - 3] + "..."


def _flow(value: Any) -> str:
    match value:
        case list():
            return "[" + ", ".join(_flow(each) for each in value) + "]"
        case dict():
            pairs = (f"{_flow(str(name))}: {_flow(each)}" for name, each in value.items())
            return "{" + ", ".join(pairs) + "}"
        case str() if re.fullmatch(_BARE, value) and value.lower() not in _READ_AS_ELSE:
            return value
    return json.dumps(value, ensure_ascii=False)


def alternatives(words: tuple[str, ...]) -> str:
    """`'a'`, `'a' or 'b'`, `'a', 'b' or 'c'`."""
    quoted = [f"'{word}'" for word in words]
    return " or ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


_MAPPINGS = {
    "Manifest": "the top level",
    "Item": "items",
    "SubTask": "sub-tasks",
    "Role": "roles",
    "Delegation": "delegations",
    "ContextPackage": "context packages",
    "Summary": "the summary of a context package",
    "StateKey": "state keys",
    "Input": "inputs",
    "Budget": "budgets",
    "Settings": "'settings'",
    "Join": "'join'",
    "Delegates": "'delegates' of a role",
    "Recovery": "'on_failure'",
    "Retry": "'retry'",
    "Undo": "'compensate'",
    "Review": "'review'",
    "Extract": "'extract' of a handler",
    "Prices": "'prices' of a handler",
    "Server": "'server' of a handler",
    "NamedServer": "'servers' of a handler",
    "ServerTool": "'tools' of an MCP server",
}


_KINDS = {
    "Function": ("function",),
    "Command": ("command",),
    "Agent": ("agent",),
    "Mcp": ("mcp",),
    "Preset": PRESETS,
}
"""What stands behind `kind` in the handlers that are these mappings."""


def places(titles: tuple[str, ...]) -> str:
    """The mappings of the language with these names, in words."""
    words = [_MAPPINGS[title] for title in titles if title not in _KINDS]
    kinds = tuple(kind for title in titles for kind in _KINDS.get(title, ()))
    if kinds:
        words.append(f"handlers of kind {alternatives(kinds)}")
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
