"""The terms of a contract that are known before there is a plan: values, risks, deadlines, grants.

They are apart from the plan because checks of manifests and worker processes start without one.
"""

from dataclasses import dataclass
from typing import Any, Literal

LONGEST_EXPRESSION = 4_096
"""Characters of an expression; a longer one is made by a program, and to parse it costs memory."""

Json = Any
"""A JSON value: None, bool, int, float, str, list or dict of these. Never changed in place."""

Pattern = Literal["turn", "each", "parallel", "resolve"]
"""How an item is done: by turns of a handler, or by its children in one of these ways."""

Risk = Literal["read_only", "reversible", "irreversible"]
Merge = Literal["reject", "append", "union"]
Then = Literal[
    "fail", "continue", "return-partial", "escalate", "return-partial-and-escalate", "compensate"
]
FailureKind = Literal[
    "error", "timeout", "deadline", "invalid-output", "budget", "conflict", "cancelled"
]
"""Why an attempt or an item did not succeed; `retry.on` names the first two and the fourth."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """A point in time, a span from the run's start, or both: the earlier holds.

    `at` is in milliseconds since the epoch (UTC), `within` in milliseconds.
    """

    at: int | None = None
    within: int | None = None

    def resolve(self, started: int) -> int:
        """The deadline in milliseconds since the epoch, for a run that started then."""
        points = [
            p
            for p in (self.at, None if self.within is None else started + self.within)
            if p is not None
        ]
        return min(points)


@dataclass(frozen=True, slots=True)
class Grant:
    """What one item's turns may use and must produce: the narrowest of every link of its chain.

    `actions` is what the capabilities allow (`file-read`, `file-write`, `process`, `network`,
    `tool:<server>/<tool>`). An empty set allows nothing.
    """

    capabilities: frozenset[str] = frozenset()
    actions: frozenset[str] = frozenset()
    scope: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()


NOTHING = Grant()
"""The grant that allows nothing."""
