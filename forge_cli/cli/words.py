"""The one word for each way an item, a run or a problem stands, and the colour repeating it."""

from collections.abc import Mapping

WORDS = {
    "succeeded": "accepted",
    "failed": "FAILED",
    "denied": "DENIED",
}
"""What an event line says of an item's end where that is not the status itself."""

DECIDED = {
    "approve": "approved",
    "deny": "declined",
    "rerun": "rerun",
    "accept": "accepted",
    "reissue": "reissued",
}
"""What an event line says of a decision."""

WITHHELD = {
    "file-write": "a write",
    "file-read": "a read",
    "process": "a program",
    "network": "a connection",
}
"""What an item was denied, by the action; every other is a tool."""

PROBLEMS = frozenset({"failed", "denied", "paused", "indeterminate", "cancelled", "blocked"})
"""How an item can end, or stand open, other than as it should."""

LOUD = frozenset({"failed", "denied", "paused", "indeterminate"})
"""What has a line of its own in every run, however large."""

_COLOURS = {
    "green": "accepted complete verified restored undone",
    "red": "failed denied refused error",
    "yellow": "paused degraded warning indeterminate retried interrupted abandoned stopping lost",
    "cyan": "running started",
}
_COLOUR_OF = {word: colour for colour, words in _COLOURS.items() for word in words.split()}
_ORDER = ("succeeded", "failed", "denied", "paused", "indeterminate", "cancelled", "blocked")


def colour(word: str) -> str:
    """The colour that repeats a word, in whatever case; empty where it has none."""
    return _COLOUR_OF.get(word.strip().lower(), "")


def tally(statuses: Mapping[str, int]) -> str:
    """How many ended in which way: `19 accepted, 1 failed`."""
    counted = ((s, statuses.get(s, 0)) for s in (*_ORDER, "skipped"))
    return ", ".join(f"{n:,} {'accepted' if s == 'succeeded' else s}" for s, n in counted if n)
