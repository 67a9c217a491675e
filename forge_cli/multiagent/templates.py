"""References in values: `${items.build.outputs.diff}` and its kin, parsed once and filled late."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from forge_cli.multiagent.terms import Json
from forge_cli.multiagent.values import is_artifact

ROOTS = (
    "inputs",
    "items",
    "state",
    "each",
    "scope",
    "budget",
    "goal",
    "completion",
    "run",
    "attempt",
    "env",
)
"""What a reference may begin with."""

_OPENING = re.compile(r"\$\$\{|\$\{")
_NAME = r"[A-Za-z_][A-Za-z0-9_-]*"
_FORMS = (
    (rf"(inputs|state|env)\.({_NAME})", ("root", "name")),
    (
        r"(items)\.([a-z][a-z0-9_.-]*)\.outputs\.([A-Za-z_][A-Za-z0-9_-]*)",
        ("root", "name", "key"),
    ),
    (r"(items)\.([a-z][a-z0-9_.-]*)\.(status)", ("root", "name", "field")),
    (r"(budget)\.(model_calls|cost_usd|tokens|tool_calls)", ("root", "name")),
    (r"(each|scope|budget|goal|completion|run|attempt)", ("root",)),
)


class TemplateError(ValueError):
    """A reference that cannot be read; `token` is the text at fault, as written."""

    def __init__(self, message: str, token: str) -> None:
        super().__init__(message)
        self.token = token


class Reference(NamedTuple):
    """One `${...}`: `items.ID.outputs.KEY` has name ID and key KEY; `.status` is a field."""

    text: str
    root: str
    name: str = ""
    key: str = ""
    field: str = ""


Template = tuple[str | Reference, ...]
Lookup = Callable[[Reference], Json]


@lru_cache(maxsize=65_536)
def parse_template(text: str) -> Template:
    """The text's literal parts and references, in order; `$${` is a literal `${`.

    Raises `TemplateError` for a reference that is not closed or not of a known form.
    """
    parts: list[str | Reference] = []
    literal = ""
    position = 0
    while opening := _OPENING.search(text, position):
        literal += text[position : opening.start()]
        if opening.group() == "$${":
            literal += "${"
            position = opening.end()
            continue
        closing = text.find("}", opening.end())
        if closing < 0:
            raise TemplateError(
                f"the reference {text[opening.start() :]!r} is not closed", text[opening.start() :]
            )
        if text.startswith("{", opening.end()) and text.startswith("}", closing + 1):
            closing += 1  # another tool's form, which is told as a whole
        if literal:
            parts.append(literal)
            literal = ""
        parts.append(_parse_reference(text[opening.start() : closing + 1]))
        position = closing + 1
    literal += text[position:]
    if literal or not parts:
        parts.append(literal)
    return tuple(parts)


def is_open(value: Json) -> bool:
    """Whether some text in the value, at any depth, is not yet what it stands for."""
    if isinstance(value, str):
        return "${" in value
    if isinstance(value, dict):
        return any(map(is_open, value.values()))
    return isinstance(value, list | tuple) and any(map(is_open, value))


def references(value: Json) -> Iterator[Reference]:
    """Every reference in a value's texts, at any depth; keys hold none."""
    if isinstance(value, str):
        if "${" in value:
            yield from (part for part in parse_template(value) if isinstance(part, Reference))
    elif isinstance(value, dict):
        for element in value.values():
            yield from references(element)
    elif isinstance(value, list | tuple):
        for element in value:
            yield from references(element)


def fill(value: Json, lookup: Lookup) -> Json:
    """The value with its references filled; a text that is one whole reference keeps the type.

    `ValueError` if one cannot be, or if the value itself says that it is kept as an artifact.
    """
    if isinstance(value, str):
        return _fill_text(value, lookup) if "${" in value else value
    if isinstance(value, dict):
        return _fill_members(value, lookup) if value else value
    if isinstance(value, list | tuple):
        return [fill(element, lookup) for element in value]
    return value


def fill_settings(config: Mapping[str, Json], lookup: Lookup) -> dict[str, Json]:
    """The same of a handler's configuration; the `argv` in it, or of its server, by `fill_argv`."""
    ways: dict[str, Callable[[Json, Lookup], Json]] = {
        "argv": fill_argv,
        "server": fill_settings,
        "servers": _fill_each,
    }
    return {key: ways.get(key, fill)(value, lookup) for key, value in config.items()}


def _fill_each(configs: Mapping[str, Json], lookup: Lookup) -> Json:
    return {name: fill_settings(config, lookup) for name, config in configs.items()}


def fill_argv(argv: Sequence[str], lookup: Lookup) -> list[str]:
    """The argument vector with its references filled: a whole list becomes one token each.

    Nothing is split. Raises `ValueError` for a token that begins with a reference whose text
    begins with `-`: data must not turn into an option.
    """
    tokens: list[str] = []
    for token in argv:
        if "${" not in token:
            tokens.append(token)
            continue
        value = _fill_text(token, lookup)
        filled = [to_text(v) for v in value] if isinstance(value, list) else [to_text(value)]
        leading = parse_template(token)[0]
        for text in filled:
            if isinstance(leading, Reference) and text.startswith("-"):
                raise ValueError(
                    f"the argument {text[:40]!r} comes from {leading.text} and begins with '-'"
                )
        tokens += filled
    return tokens


def to_text(value: Json) -> str:
    """A value inside a longer text: texts as they are, everything else as compact JSON.

    `ValueError` for one that is so large that it is kept as an artifact.
    """
    if isinstance(value, str):
        return value
    if is_artifact(value):
        raise ValueError(
            f"a value of {value['bytes']} bytes is kept as an artifact and cannot stand in a text;"
            " hand it on whole, under  with"
        )
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _fill_text(text: str, lookup: Lookup) -> Json:
    parts = parse_template(text)
    if len(parts) == 1:
        only = parts[0]
        return lookup(only) if isinstance(only, Reference) else only
    return "".join(to_text(lookup(p)) if isinstance(p, Reference) else p for p in parts)


def _fill_members(value: dict[str, Json], lookup: Lookup) -> Json:
    if is_artifact(value):
        raise ValueError(
            "a mapping of 'artifact' and 'bytes' alone is how forge notes a value that it keeps as"
            " an artifact; name one of the keys differently"
        )
    return {key: fill(element, lookup) for key, element in value.items()}


def _parse_reference(text: str) -> Reference:
    inner = text[2:-1].strip()
    for form, fields in _FORMS:
        match = re.fullmatch(form, inner)
        if match:
            return Reference(text, **dict(zip(fields, match.groups(), strict=True)))
    raise TemplateError(f"{text!r} is not a reference", text)
