"""What a handler printed, read as I-JSON (RFC 7493) or refused with what was seen."""

import json
import math
import re
from typing import Any, NoReturn

from forge_cli.multiagent.plan import Json

LARGEST = 2**53 - 1
"""The largest integer that every JSON reader holds exactly (RFC 7493, 2.2)."""

DEEPEST = 100
"""Levels of nesting; schemas and expressions are evaluated recursively."""

SHOWN = 200
"""Characters of an answer that a message shows."""

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class AnswerError(ValueError):
    """An answer that is not what was agreed; the text is a sentence that shows what was seen."""


def parse(data: bytes, source: str) -> Json:
    """The one JSON value that the bytes are; `source` names them in messages.

    Raises `AnswerError` for anything but UTF-8 I-JSON: integers beyond 2^53, NaN, infinities,
    lone surrogates, duplicate keys, and for more than 100 levels.
    """
    try:
        value = _decode(text_of(data, source))
        if _SURROGATE.search(data):
            _refuse_surrogates(value)
        if data.count(b"[") + data.count(b"{") > DEEPEST:
            _refuse_depth(value)
    except AnswerError as error:
        raise AnswerError(f"{source} is not I-JSON: {error}; it reads {shown(data)}") from None
    except RecursionError:
        raise AnswerError(f"{source} is nested over {DEEPEST} levels deep") from None
    except ValueError as error:
        raise AnswerError(f"{source} is not JSON ({error}); it reads {shown(data)}") from None
    return value


def text_of(data: bytes, source: str) -> str:
    """The bytes as UTF-8 text, or `AnswerError` with the first byte that is not."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        byte = data[error.start]
        raise AnswerError(
            f"{source} is not UTF-8: byte 0x{byte:02x} at position {error.start}"
        ) from None


def shown(data: bytes) -> str:
    """The first 200 characters, quoted and escaped, or that there is nothing."""
    if not data.strip():
        return "nothing"
    text = data[: SHOWN * 4].decode(errors="backslashreplace")
    return ascii(text[:SHOWN]) + ("..." if len(text) > SHOWN else "")


def kind_of(value: Json) -> str:
    """What JSON calls the value's type, with its article."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    for types, name in ((str, "a text"), ((int, float), "a number"), (list, "a list")):
        if isinstance(value, types):
            return name
    return "an object"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise AnswerError(f"key {key[:SHOWN]!a} is there twice")
            seen.add(key)
    return value


def _integer(text: str) -> int:
    # The length is looked at first: int() refuses texts of over 4,300 digits in its own words.
    if len(text) > 17 or not -LARGEST <= (value := int(text)) <= LARGEST:
        raise AnswerError(f"{text[:40]} is beyond 2^53, where integers are not exact; use a text")
    return value


def _number(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise AnswerError(f"{text[:40]} is beyond every double")
    return value


def _constant(text: str) -> NoReturn:
    raise AnswerError(f"{text} is no JSON number")


_decode = json.JSONDecoder(
    object_pairs_hook=_unique,
    parse_int=_integer,
    parse_float=_number,
    parse_constant=_constant,
).decode


def _refuse_surrogates(value: Json) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        code = ord(error.object[error.start])
        raise AnswerError(f"U+{code:04X} is half of a surrogate pair") from None


def _refuse_depth(value: Json) -> None:
    level = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return
    raise RecursionError
