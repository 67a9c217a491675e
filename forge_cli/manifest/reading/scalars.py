"""Plain scalars to values, by the part of the YAML 1.2 core schema that nobody misreads."""

import re

MAX_INTEGER = 2**53 - 1
"""The largest whole number that every JSON reader keeps exactly (RFC 7493)."""

MAX_DIGITS = 15
"""Decimal digits that survive a way through binary floating point (IEEE 754 double)."""

_WORDS = {"": None, "~": None, "null": None, "true": True, "false": False}
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?")
_NUMBER_STARTS = frozenset("-0123456789")


class OutOfRangeError(ValueError):
    """A number that cannot be held exactly; its text says what can."""


def resolve(text: str) -> str | int | float | bool | None:
    """The value of a plain scalar; everything that is not certainly something else is text.

    Dates, `12:30`, `NO`, `010`, `1_000` and `1e3` stay text: the field that reads them decides.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_STARTS or not (found := _NUMBER.fullmatch(text)):
        return text
    return _decimal(text) if found[1] else _integer(text)


def _integer(text: str) -> int:
    # A text of many digits is not converted at all: that takes time, and CPython refuses it.
    if len(text) > 17 or abs(int(text)) > MAX_INTEGER:
        raise OutOfRangeError(
            f"the number {shorten(text)} is out of range: whole numbers reach from "
            f"-{MAX_INTEGER} to {MAX_INTEGER}"
        )
    return int(text)


def _decimal(text: str) -> float:
    if len(text.strip("-").replace(".", "").lstrip("0")) > MAX_DIGITS:
        raise OutOfRangeError(
            f"the number {shorten(text)} has too many digits: decimals have at most {MAX_DIGITS}"
        )
    return float(text)


def shorten(text: str, limit: int = 40) -> str:
    """A text that fits into a sentence: its first `limit` characters if it is longer."""
    return text if len(text) <= limit else text[: limit - 3] + "..."


def quoted(value: str) -> str:
    """A value in the quotes that keep it as it is."""
    return f'"{value}"' if '"' not in value and "\\" not in value else _single_quoted(value)


def _single_quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
