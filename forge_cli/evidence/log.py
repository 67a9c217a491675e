"""Reading `events.jsonl`: every line canonical, known, numbered and chained."""

from collections.abc import Iterator
from pathlib import Path

from forge_cli.evidence.head import Head
from forge_cli.evidence.layout import EVENTS
from forge_cli.ledger.lines import GENESIS, Line, read
from forge_cli.ledger.tree import Tree
from forge_cli.multiagent.events import VOCABULARY


class BrokenLogError(ValueError):
    """A line that cannot stand where it stands; the sentence names file and line."""


class LogReader:
    """The lines of a log, checked as they are read; root and size are of those read so far."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._tree = Tree()

    @property
    def head(self) -> Head:
        """Root and size of the lines that were read."""
        return Head(self._tree.root(), self._tree.size)

    def lines(self) -> Iterator[Line]:
        """Each line, up to the first that is wrong: that raises `BrokenLogError`."""
        prev, time = GENESIS, 0
        with self._path.open("rb") as file:
            for number, data in enumerate(file, start=1):
                try:
                    line = _line(data, number, prev, time)
                except (ValueError, RecursionError) as fault:
                    raise BrokenLogError(f"{EVENTS}:{number}: {fault}") from None
                self._tree.add(data[:-1])
                prev, time = line.digest, line.event.time
                yield line


def _line(data: bytes, number: int, prev: str, time: int) -> Line:
    if not data.endswith(b"\n"):
        raise ValueError("the line is cut off: it does not end")
    line = read(data[:-1].decode())
    if line.seq != number:
        raise ValueError(
            f"event {line.seq} stands where event {number} must: {_displaced(line.seq, number)}"
        )
    if line.prev != prev:
        raise ValueError(f"it follows an event with digest {line.prev}, the one before has {prev}")
    if line.event.time < time:
        raise ValueError("its time is before that of the event before")
    _known(line)
    return line


def _displaced(found: int, due: int) -> str:
    return "events are missing or out of order" if found > due else "an event is there twice"


def _known(line: Line) -> None:
    event = line.event
    needed = VOCABULARY.get(event.kind)
    if needed is None:
        raise ValueError(f"{event.kind!r} is no kind of event that this forge knows")
    missing = sorted(needed - event.body.keys())
    if missing:
        raise ValueError(f"a {event.kind!r} event must say {missing[0]!r}, this one does not")
