"""When something is due for whom, in order of time."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import islice


class Agenda:
    """Pairs of a time (milliseconds since the epoch) and a name, kept sorted and exact.

    Whoever is no longer waited for is removed, so that neither question looks at what is over.
    """

    __slots__ = ("_entries",)

    def __init__(self) -> None:
        self._entries: list[tuple[int, str]] = []

    def add(self, time: int, name: str) -> None:
        """Something is due for the name at that time; to say so again changes nothing."""
        index = bisect_left(self._entries, (time, name))
        if self._entries[index : index + 1] != [(time, name)]:
            self._entries.insert(index, (time, name))

    def remove(self, time: int, name: str) -> None:
        """Nothing is due for the name at that time any more, if anything was."""
        index = bisect_left(self._entries, (time, name))
        if self._entries[index : index + 1] == [(time, name)]:
            del self._entries[index]

    def due(self, now: int) -> Iterator[str]:
        """The names whose time has come, earliest first."""
        return (name for _, name in islice(self._entries, self._passed(now)))

    def first(self) -> int | None:
        """The earliest time that is still waited for, past or to come."""
        return self._entries[0][0] if self._entries else None

    def following(self, now: int) -> int | None:
        """The first time that is still to come, or None."""
        index = self._passed(now)
        return self._entries[index][0] if index < len(self._entries) else None

    def _passed(self, now: int) -> int:
        return bisect_right(self._entries, now, key=_time)


def _time(entry: tuple[int, str]) -> int:
    return entry[0]
