"""What a run looks like so far: its events folded into one row for each item of the manifest."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from forge_cli.app.sandbox import OFF
from forge_cli.cli.tried import Tried
from forge_cli.cli.words import PROBLEMS, WITHHELD
from forge_cli.multiagent import tools
from forge_cli.multiagent.budget import used
from forge_cli.multiagent.decisions import possible
from forge_cli.multiagent.denials import KIND
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.node import AGAIN, AWAITING, Node
from forge_cli.multiagent.plan import Item, Json
from forge_cli.multiagent.run_state import RunState
from forge_cli.multiagent.times import from_text

LARGE = 200
"""With more items than this, items that ended well are counted, their rows dropped."""

_KEPT = 20
_ENDING = frozenset(
    {
        "turn_ended",
        "item_ended",
        "turn_lost",
        "approval_requested",
        "item_paused",
        "item_reused",
        "item_decided",
        "compensation_ended",
        "compensation_refused",
    }
)
_MOST_NAME = 24


class Ending(NamedTuple):
    """How an item ended, or why it stands open until somebody decides."""

    status: str
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class Problem:
    """One item that did not end as it should, in the order in which they came about.

    `captured` maps the streams of its last turn to the digests they are kept under; `digest` is
    that of the terms that await an approval.
    """

    item_id: str
    ending: Ending
    captured: Mapping[str, str]
    digest: str = ""


@dataclass(slots=True)
class Row:
    """One item of the manifest, with all that its attempts, elements and sub-tasks add up to.

    `began` and `ended` are in milliseconds since the epoch, `cost` in micro-dollars; `before` are
    the milliseconds that it took until the run, or its item, was last gone on with. `undoing` says
    how far what it did is undone. `children` counts how direct children ended, `elements` names
    them where they came into being.
    """

    status: str = "waiting"
    attempts: int = 0
    began: int | None = None
    ended: int | None = None
    before: int = 0
    calls: int = 0
    cost: int = 0
    undoing: str = ""
    elements: tuple[str, ...] = ()
    children: Counter[str] | None = None

    def lasted(self, now: int) -> int:
        """Milliseconds that it has taken, without the time in which nobody drove the run."""
        since = now if self.began is None else self.began
        return self.before + (now if self.ended is None else self.ended) - since

    def go_on(self, until: int, since: int) -> None:
        """Count up to the first time and on from the second."""
        if self.began is not None:
            self.before, self.began, self.ended = self.lasted(until), since, None


class Flight(NamedTuple):
    """A turn in flight: since when (milliseconds since the epoch), and with what reserved."""

    since: int
    slice: Mapping[str, int]


class Board:
    """What is shown of one run. Folding an event costs the same in a run of any size.

    `state` is the machine's own fold of the same events; it may be ahead of them, as it is while
    a run goes on. How an item ended is asked of it: that rule is written once.
    """

    def __init__(self, state: RunState) -> None:
        self._state = state
        self.plan = state.plan
        self.tops = [i.item_id for i in self.plan.items.values() if i.parent is None]
        self.large = len(self.tops) > LARGE
        self.rows: dict[str, Row] = {}
        self.running: dict[str, Flight] = {}
        self.doing: dict[str, str] = {}
        self.tally: Counter[str] = Counter()
        self.problems: list[Problem] = []
        self.started = self.now = self.before = self.calls = self.cost = self.lost = 0
        self.reissues = 0
        self.tried = Tried(state)
        self.deadline: int | None = None
        self.sandbox = OFF
        self.signal = ""
        self.status = ""
        self.end: Mapping[str, Json] = {}
        self._closed: dict[str, str] = {}
        self._faults: dict[str, str] = {}
        self._folds: Mapping[str, Callable[[Event], None]] = {
            "run_started": self._run_started,
            "item_opened": self._item_opened,
            "turn_started": self._turn_started,
            "turn_ended": self._turn_ended,
            "item_ended": self._item_ended,
            "run_stopping": self._run_stopping,
            "run_ended": self._run_ended,
            "run_resumed": self._run_resumed,
            "turn_lost": self._turn_lost,
            "approval_requested": self._item_ended,
            "item_paused": self._item_ended,
            "item_reused": self._item_ended,
            "item_decided": self._item_decided,
            "compensation_started": self._compensation_started,
            "compensation_ended": self._compensation_ended,
            "compensation_refused": self._compensation_refused,
        }

    def apply(self, event: Event) -> None:
        """Fold one event in; kinds that change nothing to be seen are passed over."""
        fold = self._folds.get(event.kind)
        if fold is not None:
            fold(event)
        self.tried.apply(event)
        self.now = event.time

    def abandon(self) -> None:
        """Note that nobody drives the run any more: `lost` turns were in flight, none is now."""
        self.status, self.lost = "abandoned", len(self.running)
        self.running.clear()

    def ending(self, event: Event) -> Ending | None:
        """How the event ends an item, before it is folded in; None if it ends none."""
        if event.kind not in _ENDING or event.item in self._closed:
            return None
        node = self._state.nodes[event.item]
        if node.status == "compensating" and node.sequel != AGAIN:
            return Ending(node.sequel, node.kind, node.reason)
        if not node.ended and node.status not in AWAITING:
            return None
        if node.status == "paused" and node.kind == KIND and event.kind != "item_paused":
            return None  # the event that says so is one of its own
        return Ending(node.status, node.kind, node.reason)

    def undoes(self, item_id: str) -> str:
        """How what an item has done can be undone: `restore`, `command`, or not at all."""
        node = self._state.nodes[item_id]
        undo = node.item.compensate
        return undo.kind if undo is not None and node.begun else ""

    def not_undone(self) -> list[tuple[str, str]]:
        """The items that are to be undone and are not, newest first, each with the reason."""
        left = self._state.remaining()
        return [(n.item_id, self._faults.get(n.item_id, "not started")) for n in left]

    def open_to(self, item_id: str) -> tuple[str, ...]:
        """The decisions that an item awaits one of."""
        return possible(self._state.nodes[item_id])

    def withheld(self, item_id: str) -> str:
        """What an item that has paused was denied, like `a write`; nothing for any other."""
        node = self._state.nodes[item_id]
        if node.status != "paused" or node.kind != KIND:
            return ""
        return WITHHELD.get(node.denied["action"], "a tool")

    def row(self, item_id: str) -> Row:
        """The row that an item, element or sub-task belongs to."""
        name = top(item_id)
        row = self.rows.get(name)
        if row is None:
            row = self.rows[name] = Row()
        return row

    def node(self, item_id: str) -> Node:
        """All that the machine knows of an item."""
        return self._state.nodes[item_id]

    def item(self, item_id: str) -> Item:
        """The item that an id is, or is an element of, or that another item asked for."""
        return self._state.nodes[item_id].item

    def asker(self, item_id: str) -> str:
        """The item itself, or the one that asked for it if it is a call of a tool."""
        item = self.item(item_id)
        is_call = item.role_id == tools.ROLE.role_id
        return item.parent or item_id if is_call else item_id

    def output(self, event: Event) -> Mapping[str, Json]:
        """What an item that ends with the event gives: with it, or before its last step."""
        found = event.body.get("output") or self._state.nodes[event.item].output
        return found or {}

    def required(self, item_id: str) -> bool:
        """Whether the run fails if this does: it and all that it is a part of are required."""
        return self._state.nodes[item_id].required

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

    def spent(self, event: Event) -> tuple[int, int]:
        """Calls and micro-dollars of the event's item, with those of the turn that it ends."""
        row = self.rows.get(top(event.item)) or Row()
        calls, cost = self._used(event)
        return row.calls + calls, row.cost + cost

    def _used(self, event: Event) -> tuple[int, int]:
        """What a turn that ends now is booked with."""
        flight = self.running.get(event.item)
        if flight is None or event.kind != "turn_ended":
            return 0, 0
        role = self._state.roles[self._state.nodes[event.item].item.role_id]
        booked = used(flight.slice, event.body["usage"], role.handler.metered)
        return booked.get("model_calls", 0), booked.get("cost_usd", 0)

    def _run_started(self, event: Event) -> None:
        self.started = event.time
        self.deadline = from_text(event.body["deadline"])
        self.sandbox = event.body.get("sandbox", OFF)

    def _item_opened(self, event: Event) -> None:
        if "." not in event.item:
            row = self.row(event.item)
            row.status, row.began = "running", event.time
            row.elements = tuple(map(_name, event.body["elements"]))

    def _turn_started(self, event: Event) -> None:
        row = self.row(event.item)
        self.running[event.item] = Flight(event.time, event.body["slice"])
        if row.began is None:
            row.began = event.time
        row.status = "running"
        if "." not in event.item:
            row.attempts = event.body["number"]

    def _turn_ended(self, event: Event) -> None:
        ending = self.ending(event)
        calls, cost = self._used(event)
        del self.running[event.item]
        self.doing.pop(event.item, None)
        row = self.row(event.item)
        row.calls, row.cost = row.calls + calls, row.cost + cost
        self.calls, self.cost = self.calls + calls, self.cost + cost
        if ending is not None:
            self._close(event, ending)
        elif event.body["status"] == "failed" and "." not in event.item:
            row.status = "retrying"

    def _item_ended(self, event: Event) -> None:
        ending = self.ending(event)
        if ending is not None:
            self._close(event, ending)

    def _close(self, event: Event, ending: Ending) -> None:
        status = self._closed[event.item] = ending.status
        if status in PROBLEMS and len(self.problems) < _KEPT:
            captured, digest = event.body.get("captured") or {}, event.body.get("digest", "")
            self.problems.append(Problem(event.item, ending, captured, digest))
        row = self.row(event.item)
        if "." in event.item:
            if event.item.count(".") == 1:
                row.children = row.children or Counter()
                row.children[status] += 1
            return
        self.tally[status] += 1
        row.status, row.ended = status, event.time
        if self.large and status not in PROBLEMS:
            del self.rows[event.item]

    def _run_resumed(self, event: Event) -> None:
        self.before += self.now - self.started
        for row in self.rows.values():
            if row.ended is None:
                row.go_on(self.now, event.time)
        self.started = event.time
        self.status = self.signal = ""
        self.end = {}

    def _turn_lost(self, event: Event) -> None:
        del self.running[event.item]
        ending = self.ending(event)
        if ending is not None:
            self._close(event, ending)
        elif "." not in event.item:
            self.row(event.item).status = "retrying"

    def _item_decided(self, event: Event) -> None:
        self._reopen(event)
        self.reissues += event.body["decision"] == "reissue"
        ending = self.ending(event)
        # What goes on may stand still again by now, which is for the event to say that tells it.
        if ending is not None and event.body["decision"] in ("accept", "deny"):
            self._close(event, ending)

    def _reopen(self, event: Event) -> None:
        status = self._closed.pop(event.item, None)
        if status is None:
            return
        self.problems = [p for p in self.problems if p.item_id != event.item]
        row = self.row(event.item)
        if "." in event.item:
            if row.children is not None and event.item.count(".") == 1:
                row.children[status] -= 1
            return
        self.tally[status] -= 1
        row.status = "retrying"
        row.go_on(event.time, event.time)

    def _compensation_started(self, event: Event) -> None:
        self._note_undoing(event.item, "being undone")

    def _compensation_ended(self, event: Event) -> None:
        if event.body["status"] == "done":
            self._faults.pop(event.item, None)
            self._note_undoing(event.item, "undone")
        else:
            self._faults[event.item] = event.body.get("message", "stopped")
            self._note_undoing(event.item, "not undone")
        self._item_ended(event)

    def _compensation_refused(self, event: Event) -> None:
        self._faults[event.item] = event.body["reason"]
        self._note_undoing(event.item, "not undone")
        self._item_ended(event)

    def _note_undoing(self, item_id: str, how: str) -> None:
        if "." not in item_id and item_id in self.rows:
            self.rows[item_id].undoing = how

    def _run_stopping(self, event: Event) -> None:
        self.signal = event.body["signal"]

    def _run_ended(self, event: Event) -> None:
        self.status = event.body["status"]
        self.end = event.body
        self.running.clear()


def top(item_id: str) -> str:
    """The item of the manifest that an element or sub-task was derived from."""
    return item_id.partition(".")[0]


def _name(element: Json) -> str:
    """An element as its row names it: short texts stand for themselves."""
    return element if isinstance(element, str) and len(element) <= _MOST_NAME else ""
