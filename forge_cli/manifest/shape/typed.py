"""What was probably meant by a value that a key does not take, as it can be typed there."""

import re
import shlex
from collections.abc import Mapping
from typing import Any

from forge_cli.manifest.naming import flow, shape

_LONGEST = 200
_SPANS = frozenset({"timeout", "deadline", "grace", "backoff", "max"})
_SHELL = re.compile(r"[|&;<>*?~`\n]|\$(?!\{(inputs|items|state|env|each|run|attempt)\b)")
_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
_WORD = re.compile(r"[A-Za-z_][\w-]*")
_ATTEMPTS = ("max_attempts", "attempts", "max", "limit", "times", "count")
_SEVERAL = 3
"""Attempts where nobody says how many."""


def typed(
    key: str,
    value: Any,
    wanted: tuple[str, ...],
    known: tuple[str, ...] = (),
    word: str = "",
) -> str:
    """`key: value` with a value of a wanted shape; nothing where it can only be guessed.

    `known` are the words that could stand there, if they are listed, and `word` is the key of
    another tool under which the value was written. The key is another one where that is what
    takes such a value: a command for a shell is a `script`.
    """
    if key in ("run", "argv") and isinstance(value, str):
        return _program(key, value)
    meant = _meant(key, value, word)
    if known and meant not in known and not isinstance(meant, dict):
        meant = word if word in known else None
    fitted = _fitted(meant, wanted)
    return "" if fitted is None else f"{key}: {flow(fitted, _LONGEST)}"


def _program(key: str, line: str) -> str:
    """A command line as a list of words, or as what a shell makes of it."""
    try:
        words = shlex.split(line)
    except ValueError:
        words = []
    if words and not _SHELL.search(line):
        return f"{key}: {flow(words, _LONGEST)}"
    if key == "run":
        return f"script: {flow(line, _LONGEST)}"
    return f"{key}: {flow(['bash', '-c', line], _LONGEST)}"


def _meant(key: str, value: Any, word: str) -> Any:
    """The value in the key's own terms, where it was written in those of another."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    if key == "on_failure":
        return policy(value, word)
    if key == "when":
        return _condition(value)
    if key == "required" and word == "continue-on-error" and isinstance(value, bool):
        return not value
    if key == "script" and isinstance(value, list):
        return "\n".join(map(str, value))
    if key in _SPANS and whole:
        return f"{value}{'m' if 'minutes' in word else 's'}"
    return value


def policy(value: Any, word: str = "") -> Any:
    """What `on_failure` says for a number of attempts, the word `retry`, or a mapping of these."""
    if word == "continue-on-error":
        return "continue" if value is True else "fail"
    if isinstance(value, Mapping):
        value = next((value[key] for key in _ATTEMPTS if key in value), "retry")
    if isinstance(value, str) and value.isdecimal():
        value = int(value)
    if value in ("retry", "retries") or value is True:
        value = _SEVERAL
    if isinstance(value, int) and not isinstance(value, bool):
        return {"retry": {"max_attempts": value}} if value > 0 else "fail"
    return value


def _condition(value: Any) -> Any:
    """A condition: true and false are literals in backticks, other tools' braces are none."""
    if isinstance(value, bool) or value in ("true", "false"):
        return f"`{str(value).lower()}`"
    whole = _EXPRESSION.fullmatch(value.strip()) if isinstance(value, str) else None
    return whole[1] if whole else value


def _fitted(value: Any, wanted: tuple[str, ...]) -> Any:
    found = shape(value)
    if found in wanted or (found == "whole number" and "number" in wanted):
        return value
    if "list" in wanted and isinstance(value, str):
        words = re.split(r"\s*,\s*|\s+", value.strip())
        return words if all(map(_WORD.fullmatch, words)) else [value]
    if wanted == ("list",) and isinstance(value, int | float) and not isinstance(value, bool):
        return [str(value)]
    if "text" in wanted and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return None


def named(key: str, entries: list[Any]) -> str:
    """What to type for a list where each entry is to stand below a name of its own."""
    name, entry = "NAME", entries[0] if entries else {}
    if isinstance(entry, str):
        name, equals, rest = entry.partition("=")
        if equals:
            return f"write  {key}: {{{name}: {flow(rest)}}}"
        entry = {}
    elif isinstance(entry, dict):
        written = next((each for each in ("id", "name") if isinstance(entry.get(each), str)), "")
        name = entry.get(written, name)
        if not written and entry and next(iter(entry.values())) is None:
            name = written = next(iter(entry))
        entry = {each: value for each, value in entry.items() if each != written}
    written = flow(entry, _LONGEST)
    below = f"{name}: {written}" if entry and written == flow(entry, 10**6) else f"{name}:"
    return (
        f"write each entry below a name of its own, not in a list:  {key}:  and below it  {below}"
    )
