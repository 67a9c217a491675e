"""Texts with a grammar: durations, times, money and references, read or refused with a reason."""

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from forge_cli.multiagent.grants import Deadline

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000

DURATION_FORMS = "90s, 15m, 2h, 1d or a sum like 1h30m"
TIME_FORMS = "2026-11-30T20:00:00Z or 2026-11-30T20:00:00+01:00"
MONEY_FORMS = "a number or decimal text with at most six decimals, like 3, 0.25 or '12.50'"
REFERENCE_FORMS = {
    "agent": "agent:<role> or agent:<role>@<version>",
    "context": "context:<id>",
    "schema": "schema:<id>@<version>",
    "state": "state:<key>",
}

_MAX_MICRO_DOLLARS = 2**53 - 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DURATION = r"(?:([0-9]{1,6})d)?(?:([0-9]{1,7})h)?(?:([0-9]{1,8})m)?(?:([0-9]{1,9})s)?"
_TIME = (
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[Tt ]([0-9]{2}:[0-9]{2})(:[0-9]{2})?(\.[0-9]{1,9})?)?"
    r"([Zz]|[+-][0-9]{2}:[0-9]{2})?"
)
_CLOCK = r"[0-9]{1,2}(:[0-9]{2}){1,2}"
_MONEY = r"([0-9]{1,10})(?:\.([0-9]{1,6}))?"
_ID = r"[a-z][a-z0-9_-]{0,63}"
_REFERENCE = rf"([a-z]+):({_ID})(?:@([0-9]{{1,9}}))?"


class Fault(NamedTuple):
    """Why a text is refused: what is wrong with it, and what to type instead."""

    message: str
    hint: str


class Reference(NamedTuple):
    """A named thing: `kind` is agent, context, schema or state; `version` where one is written."""

    kind: str
    name: str
    version: int | None = None


def duration(text: str) -> int | Fault:
    """Milliseconds of `90s`, `15m`, `2h`, `1d` or a sum of these, largest unit first."""
    match = re.fullmatch(_DURATION, text)
    if match is None or not text:
        return _no_duration(text)
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return days * DAY + hours * HOUR + minutes * MINUTE + seconds * SECOND


def instant(text: str) -> int | Fault:
    """Milliseconds since the epoch of an RFC 3339 time with an offset; finer parts are cut."""
    match = re.fullmatch(_TIME, text)
    if match is None:
        return Fault(f"{text!r} is not a time", f"write a time with an offset: {TIME_FORMS}")
    date, clock, seconds, fraction, offset = match.groups()
    whole = f"{date}T{clock or '00:00'}{seconds or ':00'}"
    try:
        moment = datetime.fromisoformat(whole + (offset or "Z").upper())
        span = moment - _EPOCH
    except (ValueError, OverflowError):
        return Fault(f"{text!r} names no day and time that exist", f"write it like {TIME_FORMS}")
    if offset is None:
        return Fault(
            f"{text!r} has no offset from UTC, so it means another time in every place",
            f"write  {whole}Z  or with the offset you mean:  {whole}+02:00",
        )
    if clock is None or seconds is None:
        return Fault(f"{text!r} is not a whole time", f"write  {whole}{offset}")
    return span // timedelta(milliseconds=1) + int((fraction or ".0")[1:4].ljust(3, "0"))


def deadline(text: str) -> "Deadline | Fault":
    """A deadline: a time with an offset, or a duration (longer than nothing) from the start."""
    from forge_cli.multiagent.grants import Deadline  # most manifests start without

    if re.fullmatch(_TIME, text):
        at = instant(text)
        return at if isinstance(at, Fault) else Deadline(at=at)
    within = duration(text)
    if isinstance(within, Fault):
        return Fault(
            f"{text!r} is neither a duration nor a time",
            f"write a duration: {DURATION_FORMS}\nor a time with an offset: {TIME_FORMS}",
        )
    if within == 0:
        return Fault(f"{text!r} leaves no time at all", f"write a duration: {DURATION_FORMS}")
    return Deadline(within=within)


def money(value: str | float) -> int | Fault:
    """Micro-dollars of a number or decimal text, exact; at most six decimals, not negative."""
    text = value if isinstance(value, str) else repr(value)
    match = re.fullmatch(_MONEY, text.removesuffix(".0") if isinstance(value, float) else text)
    if match is None:
        return Fault(f"{text!r} is not an amount of money{_why(text)}", f"write {MONEY_FORMS}")
    dollars, decimals = match.groups()
    amount = int(dollars) * 1_000_000 + int((decimals or "").ljust(6, "0"))
    if amount > _MAX_MICRO_DOLLARS:
        return Fault(
            f"{text!r} is more than forge counts in micro-dollars",
            f"write at most {_MAX_MICRO_DOLLARS // 1_000_000}",
        )
    return amount


@lru_cache(maxsize=1024)  # thousands of items name the same few roles
def reference(text: str, kind: str) -> Reference | Fault:
    """The thing of this kind (a key of `REFERENCE_FORMS`) that the text names."""
    match = re.fullmatch(_REFERENCE, text)
    form = REFERENCE_FORMS[kind]
    if match is None or match[1] != kind or (match[3] and kind in ("context", "state")):
        return Fault(f"{text!r} is not a reference to {_NOUNS[kind]}", f"write it as {form}")
    if kind == "schema" and match[3] is None:
        return Fault(f"{text!r} names no version of the schema", f"write it as {form}")
    return Reference(kind, match[2], int(match[3]) if match[3] else None)


_NOUNS = {"agent": "a role", "context": "a context package", "schema": "a schema", "state": "state"}


def _no_duration(text: str) -> Fault:
    if re.fullmatch(_CLOCK, text):
        message = f"{text!r} can be read as minutes, as hours or as a time of day"
    elif text.isascii() and text.isdigit():
        message = f"{text!r} has no unit"
    else:
        message = f"{text!r} is not a duration"
    return Fault(message, f"write a duration: {DURATION_FORMS}")


def _why(text: str) -> str:
    if text.startswith("-"):
        return ": it is negative"
    whole, point, decimals = text.partition(".")
    if point and whole.isdigit() and decimals.isdigit() and len(decimals) > 6:
        return f": it has {len(decimals)} decimals, and a micro-dollar is the smallest part"
    return ""
