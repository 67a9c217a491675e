"""Points in time and spans as text: RFC 3339 in UTC, and sums of units; both in milliseconds."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_UNITS = (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1))


@lru_cache(maxsize=1024)
def to_text(milliseconds: int) -> str:
    """`2026-11-30T14:12:03.000Z` for milliseconds since the epoch."""
    seconds, rest = divmod(milliseconds, 1_000)
    return f"{_to_seconds(seconds)}.{rest:03}Z"


@lru_cache(maxsize=1024)
def _to_seconds(seconds: int) -> str:
    return (
        (_EPOCH + timedelta(seconds=seconds)).isoformat(timespec="seconds").removesuffix("+00:00")
    )


@lru_cache(maxsize=1024)
def from_text(text: str) -> int:
    """Milliseconds since the epoch; `ValueError` for what is not RFC 3339 with an offset."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"the time {text!r} has no offset from UTC")
    return (moment - _EPOCH) // _MILLISECOND


def to_span(milliseconds: int) -> str:
    """A span as a manifest writes it: `90m` is `1h30m`, nothing is `0s`."""
    parts = []
    for unit, length in _UNITS:
        count, milliseconds = divmod(milliseconds, length)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"
