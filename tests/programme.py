"""How much of the reliability programme is tried: by the tests, by CI, and in a night.

`PROGRAMME=ci` or `PROGRAMME=soak` chooses the larger figures; the tests that have them are marked
`programme`. `SEED=7` tries that one alone, where a test goes through seeds.
"""

import os

_COLUMNS = ("tests", "ci", "soak")
_COLUMN = _COLUMNS.index(os.environ.get("PROGRAMME", "tests"))

SIZES = {
    "worlds": (1_000, 2_000, 1_000_000),
    "scope pairs": (1_000, 5_000, 1_000_000),
    "steps": (2_400, 20_000, 5_000_000),
    "inputs": (800, 20_000, 5_000_000),
    "races": (3, 50, 5_000),
}
"""For each kind of trial how many the tests, CI and a night make."""

SHARES = 20
"""Into how many tests the seeds of one kind are divided."""


def size(kind: str) -> int:
    """How many trials of this kind are made now."""
    return SIZES[kind][_COLUMN]


def seeds(kind: str, share: int) -> range:
    """The seeds of one of the `SHARES` of a kind."""
    if chosen := os.environ.get("SEED"):
        return range(int(chosen), int(chosen) + (share == 0))
    part = size(kind) // SHARES
    return range(share * part, (share + 1) * part)
