"""G7: no item and no run is better than the facts that were recorded of it."""

from forge_cli.multiagent.events import Event
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.plan import Plan
from forge_cli.multiagent.run_state import RunState
from tests.simulation.broken import hold
from tests.simulation.made import Items

FINE = frozenset({"succeeded", "skipped"})
ENDED = frozenset({"succeeded", "failed", "denied", "cancelled", "blocked", "skipped"})


class Truth:
    """What speaks for each item, and how each item ended first."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._items = Items(plan)
        self._proven: set[str] = set()
        self._given: set[str] = set()
        self._untrue: set[str] = set()
        self._ended: dict[str, str] = {}
        self._cancelled: dict[str, str] = {}
        self._stopping = ""
        self._failed = False

    def fold(self, event: Event, state: RunState) -> None:
        """Follow an event that the machine has applied."""
        self._items.note(event)
        self._note(event)
        if event.kind in ("turn_started", "item_opened"):
            self._may_start(event, state)
        for name, node in state.nodes.items():
            before = self._ended.get(name, node.status)
            hold("G7", before == node.status, f"{name!r} ended {before} and is {node.status}")
            if node.status in ENDED and name not in self._ended:
                self._ended[name] = node.status
                self._check(node)
        if event.kind == "run_ended":
            self._check_run(event.body["status"], state)

    def _note(self, event: Event) -> None:
        body = event.body
        if event.kind == "turn_started" and body["turn"] == 1:
            # What spoke for an attempt says nothing of one from the start.
            self._proven.discard(event.item)
        elif event.kind == "turn_ended":
            overdue = self._cancelled.pop(event.attempt, "") == "deadline"
            if body["status"] == "done" and body["verdict"]["accepted"] and not overdue:
                self._prove(event, body["verdict"])
        elif event.kind == "item_decided" and body["decision"] == "accept":
            self._given.add(event.item)
            self._prove(event, body["verdict"])
        elif event.kind == "condition_evaluated" and body["value"] is False:
            self._untrue.add(event.item)
        elif event.kind == "turn_cancelled":
            self._cancelled[event.attempt] = body["kind"]
        elif event.kind == "run_stopping":
            self._stopping = body["signal"]
        elif event.kind == "run_resumed":
            self._stopping = ""

    def _prove(self, event: Event, verdict: dict[str, object]) -> None:
        item = self._items.find(event.item)
        held = verdict.get("evidence") or {}
        assert isinstance(held, dict)
        if all(held.get(name) for name in item.evidence):
            self._proven.add(event.item)

    def _may_start(self, event: Event, state: RunState) -> None:
        node = state.nodes[event.item]
        hold("G7", not self._stopping, f"{event.item!r} starts after {self._stopping}")
        hold(
            "G7", not self._lost(state), f"{event.item!r} starts after {self._lost(state)} was lost"
        )
        hold(
            "G7",
            len(state.running) <= self._plan.max_concurrency,
            f"{len(state.running)} turns run",
        )
        hold("G7", event.item not in self._untrue, f"{event.item!r} starts, its condition is false")
        if node.is_element:
            return
        self._may_follow(node)
        for name in node.item.depends_on:
            other = state.nodes[name]
            fine = self._ended.get(name) == "succeeded" or (other.continued and name in self._ended)
            hold("G7", fine, f"{event.item!r} starts, and {name!r} is {other.status}")
        for name in node.item.after:
            hold("G7", name in self._ended, f"{event.item!r} starts before the end of {name!r}")

    def _may_follow(self, node: Node) -> None:
        """A step begins once who inserted it is done, and the step before it accepted."""
        name = node.item_id
        if self._items.is_made(name) and node.item.required:
            before = self._items.before(name)
            hold("G7", (node.item.parent or "") in self._proven, f"{name!r} starts too early")
            fine = not before or self._ended.get(before) in FINE
            hold("G7", fine, f"{name!r} starts, and {before!r} has not ended")

    def _check(self, node: Node) -> None:
        name = node.item_id
        if node.status == "succeeded" and node.pattern == "turn":
            hold("G7", name in self._proven, f"{name!r} succeeded, and nothing was accepted")
            steps = self._items.steps(name)
            left = [c.item_id for c in node.children if c.item_id in steps and c.status not in FINE]
            given = name in self._given
            hold("G7", given or not left, f"{name!r} succeeded without its steps {left}")
        elif node.status == "succeeded":
            lost = [c for c in node.children if not self._is_met(c, node.pattern == "each")]
            given = name in self._proven
            hold("G7", given or not lost, f"{name!r} succeeded without {[c.item_id for c in lost]}")
        elif node.status == "skipped" and not (node.is_element or self._items.is_made(name)):
            names = (*node.item.depends_on, node.item.parent)
            why = name in self._untrue or any(self._ended.get(n or "") == "skipped" for n in names)
            hold("G7", why, f"{name!r} is skipped without a reason")

    def _is_met(self, child: Node, is_element: bool) -> bool:
        fine = child.status == "succeeded" or child.continued
        may_miss = child.status == "skipped" or not child.item.required
        return fine or (may_miss and not is_element)

    def _lost(self, state: RunState) -> str:
        """An item beside no other whose loss ends the run: required, of the run's own."""
        for name, status in self._ended.items():
            node = state.nodes[name]
            ends = node.item.then == "fail" and node.item.required and node.parent is None
            if ends and status in ("failed", "denied"):
                return name
        return ""

    def _check_run(self, status: str, state: RunState) -> None:
        if self._failed:
            hold("G7", status == "failed", f"a run that failed ends {status}")
            return
        self._failed = status == "failed"
        made = {name for name in state.nodes if self._items.is_made(name)}
        ends = {name: node.status for name, node in state.nodes.items() if name not in made}
        hold("G7", not state.running, f"the run ended {status}, and {list(state.running)} run")
        required = {ends[name] for name in ends if _is_required(state.nodes[name])}
        if (required & ENDED) - FINE or state.stuck:
            hold("G7", status == "failed", f"a required item was lost and the run is {status}")
        elif any(end not in ENDED for end in ends.values()):
            due = "interrupted" if self._stopping else "paused"
            hold("G7", status == due, f"items are open, and the run is {status}")
            stands = {node.status for node in state.nodes.values()}
            awaits = {"paused", "indeterminate"} & stands
            hold("G7", bool(self._stopping or awaits), "the run pauses, and awaits nothing")
        elif set(ends.values()) - FINE:
            hold(
                "G7", status in ("degraded", "failed"), f"an item was lost and the run is {status}"
            )
        else:
            minimum = bool(self._plan.minimum_successes)
            hold(
                "G7",
                status == "complete" or (status == "failed" and minimum),
                f"all is well and the run is {status}",
            )


def _is_required(node: Node) -> bool:
    above: Node | None = node
    while above is not None:
        if not above.item.required:
            return False
        above = above.parent
    return True
