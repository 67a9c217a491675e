"""What a contract grants and until when; apart from the plan since worker processes have none."""

from collections.abc import Collection
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


def allows_tool(actions: Collection[str], tool: str, server: str) -> bool:
    """Whether a capability's actions allow a tool of an MCP server: by its name, or by any action.

    By name that is `tool:<server>/<tool>`. A handler's only server has no name of its own, which is
    an empty `server`, and whatever stands there is taken for it.
    """
    named = [each[5:].partition("/") for each in actions if each.startswith("tool:")]
    if not named:
        return bool(actions)
    return any(name == tool and server in ("", place) for place, _, name in named)
