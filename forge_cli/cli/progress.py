"""What a person sees while a run goes on: event lines, and on a terminal a table below them."""

import re
import threading

from forge_cli.cli.board import Board
from forge_cli.cli.console import Console
from forge_cli.cli.figures import count, elapsed, granted, measured
from forge_cli.cli.github import annotation
from forge_cli.cli.header import header, limits, resumed, sandbox
from forge_cli.cli.lines import Lines
from forge_cli.cli.overview import overview
from forge_cli.cli.tables import clip
from forge_cli.cli.terminal import width
from forge_cli.cli.tried import denials_of
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.run_state import RunState

_PERIOD = 0.125
_PATIENCE = 2.0
_SILENCE = 60_000
_FIRST_TABLE = 1000
_MOST_QUEUED = 5000
_STYLES = re.compile("\x1b\\[[0-9;]*m")
_FOOT = " Ctrl-C once: stop cleanly, can be resumed.  Twice: at once."


class Progress:
    """An observer of one run. An event costs it a few additions; a thread of its own draws.

    Nothing here holds the run up or fails it: what cannot be written (a closed pipe, a full disk)
    ends the drawing and no more, and a terminal that does not take text delays `close` by two
    seconds at most. The table appears once a run has lasted a second; a shorter one has said all
    in its lines.
    """

    def __init__(
        self, state: RunState, run_id: str, console: Console, verbose: bool = False
    ) -> None:
        self.board = Board(state)
        self._run_id = run_id
        self._console = console
        self._verbose = verbose
        self._lines = Lines(self.board, console.terminal, verbose, console.manifest)
        self._lock = threading.Lock()
        self._queue: list[str] = []
        self._lost = 0
        self._below: list[str] = []
        self._broken = False
        self._spoke = console.now()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="progress", daemon=True)

    def start(self) -> None:
        """Begin to draw, eight times a second at most."""
        self._thread.start()

    def __call__(self, event: Event) -> None:
        """Take an event in."""
        with self._lock:
            lines = self._annotated(event, self._lines.of(event))
            self.board.apply(event)
            if event.kind == "run_started":
                lines = self._header("mock" in event.body)
            elif event.kind == "run_resumed":
                lines = resumed(self.board, self._run_id, event.body["epoch"])
            if lines:
                self._queue_lines(lines)

    def tell(self, item_id: str, words: str) -> None:
        """Take in what the turn of an item is doing; each has a line if all is to be told."""
        with self._lock:
            self.board.doing[item_id] = words
            if self._verbose:
                self._queue_lines(self._lines.line(self._console.now(), item_id, "running", words))

    def recall(self, event: Event) -> None:
        """Take in an event of which nothing is to be said any more."""
        self.board.apply(event)

    def close(self) -> None:
        """Draw a last time, with the table as it ended, and stop drawing."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(_PATIENCE)
        if not self._thread.is_alive():
            self.draw(last=True)

    def draw(self, last: bool = False) -> None:
        """Write the lines that wait, and the table anew."""
        if self._broken:
            return
        try:
            self._draw(last)
        except (OSError, ValueError):
            # The stream is closed, the disk full or the terminal gone: no reason to end the run.
            self._broken = True

    def _draw(self, last: bool) -> None:
        with self._lock:
            lines = self._taken()
            below = self._table(last)
        if not lines and below == self._below and not last:
            return
        above = self._erase() if self._console.live else ""
        shown = [*lines, *below]
        text = "".join(self._console.terminal.fit(line) + "\n" for line in shown)
        self._below = below
        if above or text:
            self._console.write(above + text)

    def _loop(self) -> None:
        while not self._stop.wait(_PERIOD):
            self.draw()

    def _header(self, mocked: bool) -> list[str]:
        board, plan = self.board, self.board.plan
        note = "recorded results, nothing is called" if mocked else sandbox(board.sandbox)
        lines = header(plan, self._run_id, "engine local", note)
        terms = limits(plan, board.deadline, board.started)
        if not terms:
            return lines
        if self._console.live:
            return [*lines, " " * (width(plan.name) + 2) + terms, ""]
        return [*lines, f"{plan.name}  {terms}"]

    def _annotated(self, event: Event, lines: list[str]) -> list[str]:
        if not self._console.github:
            return lines
        ending = self.board.ending(event)
        is_told = denials_of(event) and self.board.asker(event.item) != event.item
        if ending is None or is_told:  # with the pause of the item that asked for it
            return lines
        console, required = self._console, self.board.required(event.item)
        line = self._lines.refused.get(event.item, 0)
        command = annotation(event.item, required, ending, console.manifest, console.terminal, line)
        return [command, *lines] if command else lines

    def _queue_lines(self, lines: list[str]) -> None:
        if len(self._queue) + len(lines) > _MOST_QUEUED:
            self._lost += len(lines)
        else:
            self._queue.extend(lines)

    def _taken(self) -> list[str]:
        """The lines that wait, or, a minute after the last ones, one that says what runs."""
        lines, self._queue = self._queue, []
        if self._lost:
            lines.append(f"({count(self._lost, 'line')} left out: the terminal did not take them)")
            self._lost = 0
        now = self._console.now()
        if not lines and not self._console.live and now - self._spoke >= _SILENCE:
            lines = self._running()
        if lines:
            self._spoke = now
        return lines

    def _now(self) -> int:
        """Where the run's time is, in milliseconds since the epoch: it stands still at its end."""
        return self.board.now if self.board.status else max(self.board.now, self._console.now())

    def _running(self) -> list[str]:
        board, now = self.board, self._now()
        if not board.running or board.status:
            return []
        flights = sorted((f.since, i) for i, f in board.running.items())
        if board.large:
            ended = f"{board.tally.total():,} of {len(board.tops):,} items ended"
            told = f"{ended}, {len(flights)} running"
            return self._lines.line(now, "run", "running", told)
        since, first = flights[0]
        if len(flights) == 1:
            doing = board.doing.get(first)
            told = ", ".join([elapsed(now - since), *self._spent(first), *filter(None, [doing])])
            return self._lines.line(now, first, "running", told)
        told = ", ".join(f"{i} {elapsed(now - s)}" for s, i in flights[:4])
        more = f" and {len(flights) - 4} more" if flights[4:] else ""
        return self._lines.line(now, "run", "running", told + more)

    def _spent(self, item_id: str) -> list[str]:
        row, item = self.board.row(item_id), self.board.plan.items.get(item_id)
        if not row.cost:
            return []
        limit = None if item is None or item.budget is None else item.budget.cost_usd
        of = "" if limit is None else f" of {granted(limit)}"
        return [count(row.calls, "call"), measured(row.cost) + of]

    def _table(self, last: bool) -> list[str]:
        console, board = self._console, self.board
        now = self._now()
        if not console.live or not board.started or now - board.started < _FIRST_TABLE:
            return []
        if last and not self._below:
            return []
        columns, rows = console.size()
        most = None if last and not board.large else max(rows - 8, 1)
        lines = ["", *overview(board, console.terminal, now, most)]
        if last:
            return [*lines, ""]
        if not board.status:
            lines.append(console.terminal.ink("dim", _FOOT))
        return [_clipped(line, columns) for line in lines][: max(rows - 1, 1)]

    def _erase(self) -> str:
        """Moves up over the table as it stands on a terminal of the width that it has now."""
        if not self._below:
            return ""
        columns, _ = self._console.size()
        lengths = (width(_STYLES.sub("", line)) for line in self._below)
        rows = sum(max(-(-length // max(columns, 1)), 1) for length in lengths)
        return f"\x1b[{rows}F\x1b[J"


def _clipped(line: str, columns: int) -> str:
    plain = _STYLES.sub("", line)
    return line if width(plain) <= columns else clip(plain, columns)
