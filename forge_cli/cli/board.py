"""What a run looks like so far: its events folded into one row for each item of the manifest."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from forge_cli.cli.words import PROBLEMS
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Item, Json, Plan

LARGE = 200
"""With more items than this, accepted ones are counted and no longer kept as rows."""

_KEPT = 20


@dataclass(frozen=True, slots=True)
class Problem:
    """One item that did not end as it should, in the order in which they came about.

    `captured` maps the streams of its last turn to the digests they are kept under.
    """

    item_id: str
    status: str
    kind: str
    reason: str
    captured: Mapping[str, str]


@dataclass(slots=True)
class Row:
    """One item of the manifest, with all that its attempts, elements and sub-tasks add up to.

    `began` and `ended` are in milliseconds since the epoch, `cost` in micro-dollars. `children`
    counts how direct children ended, `elements` how many a `for_each` has.
    """

    status: str = "waiting"
    attempts: int = 0
    began: int | None = None
    ended: int | None = None
    calls: int = 0
    cost: int = 0
    elements: int = 0
    children: Counter[str] | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Flight:
    """A turn in flight: since when (milliseconds since the epoch), and with what reserved."""

    since: int
    slice: Mapping[str, int]


class Board:
    """The state of one run as far as it is shown. Folding an event costs the same in any run."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.tops = [i.item_id for i in plan.items.values() if i.parent is None]
        self.large = len(self.tops) > LARGE
        self.rows: dict[str, Row] = {}
        self.running: dict[str, Flight] = {}
        self.last: dict[str, Mapping[str, Json]] = {}
        self.tally: Counter[str] = Counter()
        self.problems: list[Problem] = []
        self.problem_count = 0
        self.started = 0
        self.now = 0
        self.deadline: int | None = None
        self.calls = 0
        self.cost = 0
        self.signal = ""
        self.status = ""
        self.end: Mapping[str, Json] = {}
        self._folds: Mapping[str, Callable[[Event], None]] = {
            "run_started": self._run_started,
            "item_opened": self._item_opened,
            "turn_started": self._turn_started,
            "turn_ended": self._turn_ended,
            "item_ended": self._item_ended,
            "run_stopping": self._run_stopping,
            "run_ended": self._run_ended,
        }

    def apply(self, event: Event) -> None:
        """Fold one event in; kinds that change nothing to be seen are passed over."""
        self.now = event.time
        fold = self._folds.get(event.kind)
        if fold is not None:
            fold(event)

    def row(self, item_id: str) -> Row:
        """The row that an item, element or sub-task belongs to."""
        return self.rows.setdefault(top(item_id), Row())

    def status_of(self, item_id: str) -> str:
        """How an item of the manifest stands; accepted ones of large runs are not remembered."""
        row = self.rows.get(item_id)
        return "waiting" if row is None else row.status

    def flights(self, item_id: str) -> list[tuple[str, int]]:
        """The turns in flight of an item and below it, the longest first: id and begin."""
        return sorted(
            ((i, f.since) for i, f in self.running.items() if top(i) == item_id),
            key=lambda flight: flight[1],
        )

    def free_cost(self, total: int) -> int:
        """What of the run's micro-dollars is neither spent nor reserved by an item's own budget."""
        taken = 0
        for item_id, row in self.rows.items():
            budget = self.plan.items[item_id].budget
            own = None if budget is None else budget.cost_usd
            taken += row.cost if own is None or row.ended is not None else max(own, row.cost)
        return total - taken

    def is_group(self, item: Item) -> bool:
        """Whether an item is done by elements or sub-tasks rather than by turns of its own."""
        return item.for_each is not None or bool(item.children)

    def used(self, event: Event) -> Mapping[str, int]:
        """What a turn that ended now has used: what it does not tell counts as its full slice."""
        flight = self.running.get(event.item)
        reserved = {} if flight is None else flight.slice
        return {**reserved, **(event.body.get("usage") or {})}

    def _run_started(self, event: Event) -> None:
        self.started = event.time
        self.deadline = event.body.get("deadline")

    def _item_opened(self, event: Event) -> None:
        row = self.row(event.item)
        if "." not in event.item:
            row.status = "running"
            row.began = event.time
            row.elements = _number(event.body.get("elements"))

    def _turn_started(self, event: Event) -> None:
        row = self.row(event.item)
        self.running[event.item] = Flight(event.time, event.body.get("slice") or {})
        if row.began is None:
            row.began = event.time
        row.status = "running"
        if "." not in event.item:
            row.attempts += 1

    def _turn_ended(self, event: Event) -> None:
        self.last[event.item] = event.body
        used = self.used(event)
        flight = self.running.pop(event.item, None)
        if not used and flight is None:
            return
        row = self.row(event.item)
        calls, cost = used.get("model_calls", 0), used.get("cost_usd", 0)
        row.calls, row.cost = row.calls + calls, row.cost + cost
        self.calls, self.cost = self.calls + calls, self.cost + cost

    def _item_ended(self, event: Event) -> None:
        status = event.body["status"]
        row = self.row(event.item)
        self.running.pop(event.item, None)
        last = self.last.pop(event.item, {})
        if status in PROBLEMS:
            self._note_problem(event, last)
        if "." in event.item:
            if event.item.count(".") == 1:
                row.children = row.children or Counter()
                row.children[status] += 1
            return
        self.tally[status] += 1
        if self.large and status == "succeeded":
            del self.rows[event.item]
            return
        row.status, row.ended, row.reason = status, event.time, event.body.get("reason") or ""

    def _note_problem(self, event: Event, last: Mapping[str, Json]) -> None:
        self.problem_count += 1
        if len(self.problems) < _KEPT:
            body = event.body
            reason = body.get("reason") or last.get("message") or ""
            captured = last.get("captured") or {}
            self.problems.append(
                Problem(event.item, body["status"], body.get("kind") or "", reason, captured)
            )

    def _run_stopping(self, event: Event) -> None:
        self.signal = str(event.body.get("signal") or "")

    def _run_ended(self, event: Event) -> None:
        self.status = event.body["status"]
        self.end = event.body
        self.running.clear()


def top(item_id: str) -> str:
    """The item of the manifest that an element or sub-task was derived from."""
    return item_id.partition(".")[0]


def _number(elements: Json) -> int:
    if isinstance(elements, list | dict):
        return len(elements)
    return elements if isinstance(elements, int) else 0
