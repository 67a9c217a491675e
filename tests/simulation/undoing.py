"""G9: what a failed branch did is undone newest first, and recorded done once each."""

from collections.abc import Iterator

from forge_cli.multiagent.events import Event
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.plan import Plan
from forge_cli.multiagent.run_state import RunState
from tests.simulation.broken import hold

LOST = frozenset({"failed", "denied", "cancelled"})


class Undoing:
    """Which items did something, in the order in which they began, and what is undone of it."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._begun: list[str] = []
        self._flying = ""
        self._keys: dict[str, str] = {}
        self._asked: set[str] = set()
        self._stuck: set[str] = set()
        self._left: set[str] = set()
        self._closed: set[str] = set()

    def fold(self, event: Event, state: RunState) -> None:
        """Follow an event that the machine has applied."""
        name, body = event.item, event.body
        if event.kind in ("turn_started", "item_opened"):
            self._may_start(name, state)
            self._asked.discard(name)
        if event.kind == "turn_started":
            undo = state.nodes[name].item.compensate
            if undo is not None and undo.kind != "restore":
                self._begin(name)
        elif event.kind == "snapshot_taken":
            self._begin(name)
        elif event.kind == "compensation_started":
            self._start(event, state)
        elif event.kind == "compensation_ended":
            hold(
                "G9",
                self._flying == event.attempt,
                f"{event.attempt!r} ends, {self._flying!r} flies",
            )
            self._flying = ""
            if body["status"] == "done":
                self._begun.remove(name)
                del self._keys[name]
        elif event.kind == "run_resumed":
            self._flying = ""
        elif event.kind == "item_decided" and body["decision"] in ("deny", "reissue"):
            self._asked.add(name)
        elif event.kind == "run_ended":
            self._end(event)
        if event.kind in ("compensation_ended", "compensation_refused") and name in self._begun:
            self._stuck.add(name)
        self._close(state)

    def _begin(self, name: str) -> None:
        if name not in self._begun:
            self._begun.append(name)

    def _may_start(self, name: str, state: RunState) -> None:
        for top in state.nodes.values():
            if top.status == "compensating":
                below = {node.item_id for node in _branch(top, state)}
                hold("G9", name not in below, f"{name!r} starts while {top.item_id!r} is undone")

    def _start(self, event: Event, state: RunState) -> None:
        name, key = event.item, event.body["key"]
        running = {node.item_id for node in state.running.values()}
        hold("G9", not self._flying, f"{event.attempt!r} starts while {self._flying!r} flies")
        hold("G9", name in self._begun, f"{name!r} is undone, and did nothing or was undone before")
        hold(
            "G9",
            self._keys.setdefault(name, key) == key,
            f"{name!r} is undone by another key {key!r}",
        )
        younger = set(self._begun[self._begun.index(name) + 1 :])
        tops = [n for n in state.nodes.values() if n.status == "compensating" or self._is_top(n)]
        branches = [{node.item_id for node in _branch(top, state)} for top in tops]
        newest = any(name in branch and not branch & younger for branch in branches)
        hold("G9", newest, f"{name!r} is undone before what began later: {sorted(younger)}")
        hold("G9", name not in running, f"{name!r} is undone while it runs")
        self._flying = event.attempt

    def _close(self, state: RunState) -> None:
        """A branch is not left before all of it is undone, or the next of it cannot be."""
        for top in state.nodes.values():
            if top.item_id in self._closed or not self._is_top(top):
                continue
            self._closed.add(top.item_id)
            branch = {node.item_id for node in _branch(top, state)}
            left = [name for name in self._begun if name in branch]
            stuck = not left or left[-1] in self._stuck
            hold("G9", stuck, f"{top.item_id!r} ended, and {left} are not undone")
            self._left |= set(left)

    def _end(self, event: Event) -> None:
        hold("G9", not self._flying, f"the run ends while {self._flying!r} flies")
        left, said = sorted(self._left & set(self._begun)), event.body.get("compensation")
        hold(
            "G9",
            not left or said == "incomplete",
            f"{left} are not undone, and the run says {said}",
        )

    def _is_top(self, node: Node) -> bool:
        asked = node.item.then == "compensate" or node.item_id in self._asked
        return node.status in LOST and asked


def _branch(top: Node, state: RunState) -> Iterator[Node]:
    """The item, all below it, and all that depends on these."""
    names = {top.item_id}
    while True:
        more = {
            node.item_id
            for node in state.nodes.values()
            if (node.parent is not None and node.parent.item_id in names)
            or (not node.is_element and names & set(node.item.depends_on))
        }
        if more <= names:
            break
        names |= more
    return (state.nodes[name] for name in names)
