"""What a contract grants and until when; apart from the plan since worker processes have none."""

from dataclasses import dataclass


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


DEFAULT_DEADLINE = Deadline(within=6 * 3_600_000)


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
