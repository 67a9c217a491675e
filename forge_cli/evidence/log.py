"""Reading `events.jsonl`: every line canonical, known, numbered and chained."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from forge_cli.evidence.head import Head
from forge_cli.evidence.layout import EVENTS
from forge_cli.ledger.lines import GENESIS, Line, read
from forge_cli.ledger.tree import Tree
from forge_cli.multiagent.events import VOCABULARY, Event


class BrokenLogError(ValueError):
    """A line that cannot stand where it stands; the sentence names file and line."""


def lines_of(path: Path) -> Iterator[Line]:
    """The lines of the file, up to the first that is none: that raises `BrokenLogError`."""
    with path.open("rb") as file:
        for number, data in enumerate(file, start=1):
            try:
                if not data.endswith(b"\n"):
                    raise ValueError("the line is cut off: it does not end")
                yield read(data[:-1].decode())
            except (ValueError, RecursionError) as fault:
                raise BrokenLogError(f"{EVENTS}:{number}: {fault}") from None


def held(lines: Iterable[Line]) -> Iterator[Line]:
    """The lines of a ledger, up to the first that is not what its digest says."""
    for line in lines:
        if line.due != line.digest:
            raise BrokenLogError(f"{EVENTS}:{line.seq}: the event was changed in the ledger")
        yield line


class Log:
    """Holds each line against those before; root and size are of those that could follow."""

    def __init__(self) -> None:
        self._tree = Tree()
        self._prev = GENESIS
        self._time = 0

    @property
    def head(self) -> Head:
        """Root and size so far."""
        return Head(self._tree.root(), self._tree.size)

    def take(self, line: Line) -> None:
        """Take the next line; `BrokenLogError` if it cannot be the next."""
        number = self._tree.size + 1
        fault = self._fault(line, number) or _unknown(line.event)
        if fault:
            raise BrokenLogError(f"{EVENTS}:{number}: {fault}")
        self._tree.add(line.text.encode())
        self._prev, self._time = line.digest, line.event.time

    def _fault(self, line: Line, number: int) -> str:
        if line.seq != number:
            displaced = _displaced(line.seq, number)
            return f"event {line.seq} stands where event {number} must: {displaced}"
        if line.prev != self._prev:
            return f"it follows an event with digest {line.prev}, the one before has {self._prev}"
        if line.event.time < self._time:
            return "its time is before that of the event before"
        return ""


def _displaced(found: int, due: int) -> str:
    return "events are missing or out of order" if found > due else "an event is there twice"


def _unknown(event: Event) -> str:
    needed = VOCABULARY.get(event.kind)
    if needed is None:
        return f"{event.kind!r} is no kind of event that this forge knows"
    if needed <= event.body.keys():
        return ""
    missing = min(needed - event.body.keys())
    return f"a {event.kind!r} event must say {missing!r}, this one does not"
