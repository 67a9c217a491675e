"""G1: whoever was denied a change, or a fourth read, goes no further before a person decides."""

from collections import Counter

from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Plan
from forge_cli.multiagent.run_state import RunState
from tests.simulation.broken import hold
from tests.simulation.made import Items

BELIEVED = ("agent", "tool")
"""The kinds of handlers of these worlds whose word for a denial is forge's own."""

ANSWERED = 3
"""Denied reads of an attempt that are only answered."""


class Denials:
    """What is due to pause, by the effects of turns alone."""

    def __init__(self, plan: Plan) -> None:
        self._items = Items(plan)
        self._reads: Counter[str] = Counter()
        self._cancelled: set[str] = set()
        self._due: set[str] = set()

    def fold(self, event: Event, state: RunState) -> None:
        """Follow an event that the machine has applied."""
        self._items.note(event)
        body, name = event.body, event.item
        if event.kind == "turn_started":
            hold("G1", name not in self._due, f"{name!r} was denied something, and goes on")
            if body["turn"] == 1:
                self._reads[name] = 0
        elif event.kind == "turn_cancelled":
            self._cancelled.add(event.attempt)
        elif event.kind == "turn_ended":
            self._ended(event, state)
        elif event.kind == "request_denied" and body["tool"] == "write_file":
            if body["kind"] == "denied":
                self._due.add(name)
        elif event.kind == "item_decided":
            self._due.discard(name)
        for each in self._due:
            status = state.nodes[each].status
            hold("G1", status != "succeeded", f"{each!r} was denied something, and succeeds")

    def _ended(self, event: Event, state: RunState) -> None:
        stopped = event.attempt in self._cancelled and event.body["status"] == "failed"
        self._cancelled.discard(event.attempt)
        item = self._items.find(event.item)
        kind = state.roles[item.role_id].handler.kind
        effects = event.body.get("effects", ()) if kind in BELIEVED else ()
        denied = [each["action"] for each in effects if "denied" in each]
        self._reads[event.item] += denied.count("file-read")
        many = self._reads[event.item] > ANSWERED and "file-read" in denied
        if kind == "tool" and denied and item.parent:
            self._due.add(item.parent)
        elif not stopped and (many or set(denied) - {"file-read"}):
            self._due.add(event.item)
