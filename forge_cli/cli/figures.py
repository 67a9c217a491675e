"""How times, amounts and sizes are written for people."""

from datetime import UTC, datetime

from forge_cli.multiagent.budget import DIMENSIONS
from forge_cli.multiagent.plan import Deadline
from forge_cli.multiagent.times import to_span

_DAY = 86_400_000
_CENT = 10_000
_WORDS = {"model_calls": "model call", "tokens": "token", "tool_calls": "tool call"}


def elapsed(milliseconds: int) -> str:
    """Minutes and seconds since a start, with hours where there are any: `0:48`, `1:02:03`."""
    seconds = max(milliseconds, 0) // 1000
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


duration = to_span


def clock(milliseconds: int, now: int) -> str:
    """A point in time in UTC; the date stands before it when it is a day or more from `now`."""
    pattern = "%H:%M:%S UTC" if abs(milliseconds - now) < _DAY else "%Y-%m-%d %H:%M:%S UTC"
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime(pattern)


def deadline(limit: Deadline) -> str:
    """A deadline as stated: a span, a point in time, or both."""
    texts = [] if limit.within is None else [duration(limit.within)]
    if limit.at is not None:
        texts.append(clock(limit.at, 0))
    return ", at the latest ".join(texts)


def measured(micro_dollars: int) -> str:
    """What was spent, with four decimals."""
    return f"${micro_dollars / 1_000_000:.4f}"


def granted(micro_dollars: int) -> str:
    """What may be spent: two decimals, or as many as it takes to say it exactly."""
    if micro_dollars % _CENT == 0:
        return f"${micro_dollars / 1_000_000:.2f}"
    return f"${micro_dollars / 1_000_000:.6f}".rstrip("0")


def amount(dimension: str, value: int) -> str:
    """One dimension of a budget in words: `60 model calls`, `$4.00`."""
    if dimension == "cost_usd":
        return granted(value)
    return count(value, _WORDS[dimension])


def amounts(limits: dict[str, int]) -> str:
    """All dimensions of a budget in words, in their fixed order."""
    return ", ".join(amount(d, limits[d]) for d in DIMENSIONS if d in limits)


def count(number: int, noun: str) -> str:
    """A number with its noun in the right form: `1 item`, `2 items`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def size(octets: int) -> str:
    """A number of bytes: `11 B`, `3.1 KiB`."""
    if octets < 1024:
        return f"{octets} B"
    value = float(octets)
    for unit in ("KiB", "MiB", "GiB"):
        value /= 1024
        if value < 1024 or unit == "GiB":
            break
    return f"{value:.1f} {unit}"
