"""The run machine: `apply` folds what happened, `decide` says what is due."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from forge_cli.multiagent.assignment import Assignment, condition_context
from forge_cli.multiagent.compensation import compensations
from forge_cli.multiagent.ending import ending
from forge_cli.multiagent.events import Event, item_ended
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.plan import Json, Plan
from forge_cli.multiagent.requests import decision
from forge_cli.multiagent.responses import objection
from forge_cli.multiagent.run_state import RunState
from forge_cli.multiagent.sealing import Seal, concluded
from forge_cli.multiagent.starts import stalled, starts

IDLE = frozenset({"waiting", "ready", "retrying"})


@dataclass(frozen=True, slots=True)
class Evaluate:
    """A condition to evaluate; the answer comes back as `condition_evaluated`.

    `expression` is JMESPath, `context` what it looks at.
    """

    item: str
    expression: str
    context: Json


Command = Event | Assignment | Evaluate | Seal
"""What is due: an event to record, a turn to record and start, or something to evaluate."""


class Run:
    """One run of a plan: the same events give the same commands, on every engine.

    The driver asks `decide` until nothing more is due and applies each command's event as it
    goes, makes these events durable together, and only then starts and cancels turns.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.state = RunState(plan)

    def apply(self, event: Event) -> None:
        """Fold one event into the state; `ValueError` if it cannot follow what came before."""
        if event.kind == "turn_ended":
            body = event.body
            fault = objection(self.state, event.attempt, body["sender"], body.get("turn", 1))
            if fault:
                raise ValueError(f"the response to {event.attempt!r} is {fault}")
        self.state.apply(event)

    def decide(self, now: int) -> list[Command]:
        """What is due at `now` (milliseconds since the epoch), in order. Changes nothing.

        It belongs together: the caller applies the event of every command before it asks again.
        """
        state = self.state
        if state.status or not state.run_id:
            return []
        if state.asking and not state.signal:
            return [decision(state, now)]
        halted = self._halted(now) or state.concluded is not None
        if state.conditions and not halted:
            return [self._evaluate(node) for node in state.conditions.values()]
        due: list[Command] = [*self._endings(now)] or [*compensations(state, now)]
        if not due and not halted:
            due = [*starts(state, now)]
        if due or state.running or state.compensating:
            return due
        if halted or state.retries.following(now) is None:
            due = [(None if halted else stalled(state, now)) or ending(state, now)]
        return due

    def wakeup(self, now: int) -> int | None:
        """When to ask again though nothing happened; None if only an event can change anything.

        In milliseconds since the epoch and later than `now`: what is due has been decided.
        """
        state = self.state
        times = [state.retries.following(now), state.deadlines.following(now)]
        if now < state.deadline:
            times.append(state.deadline)
        return min((time for time in times if time is not None), default=None)

    def _halted(self, now: int) -> bool:
        state = self.state
        return bool(state.signal or state.failing) or now >= state.deadline

    def _evaluate(self, node: Node) -> Evaluate:
        names = (*node.item.depends_on, *node.item.after)
        context = condition_context(self.state, names)
        return Evaluate(node.item_id, node.item.when or "null", context)

    def _endings(self, now: int) -> Iterator[Event | Seal]:
        """Everything that ends or is cancelled without another turn."""
        state = self.state
        if state.fated:
            for name, fate in state.fated.items():
                yield concluded(state.nodes[name], fate, now)
        elif state.failing:
            yield from _stop(state.open.values(), now, "cancelled", state.failing)
        elif state.signal:
            reason = f"the run got {state.signal}"
            yield from _cancel(state.running.values(), now, "cancelled", reason)
        elif now >= state.deadline:
            reason = "the run's deadline has passed"
            yield from _stop(state.open.values(), now, "deadline", reason)
        else:
            yield from self._stopping(now)

    def _stopping(self, now: int) -> Iterator[Event]:
        """What ends beside the rest of the run: of a group, of a branch, or because it is late."""
        state = self.state
        for group in state.stopping.values():
            if group.parent is None or not group.parent.stopped:
                yield from _stop(_below(group), now, "cancelled", group.stopping)
        ending: set[str] = set()
        for branch in state.branches.values():
            under_way = (n for n in branch.open.values() if n.item_id not in ending)
            hanging = [node for node in under_way if not node.stopped]
            ending.update(node.item_id for node in hanging)
            reason = f"what it hangs on is undone with {branch.top.item_id!r}"
            yield from _stop(hanging, now, "cancelled", reason)
        overdue = (state.nodes[name] for name in state.deadlines.due(now) if name not in ending)
        late = (node for node in overdue if not node.stopped)
        yield from _stop(late, now, "deadline", "its deadline has passed")


def _stop(nodes: Iterable[Node], now: int, kind: str, reason: str) -> Iterator[Event]:
    """Cancel what runs and end what waits; what awaits a decision goes on awaiting it."""
    for node in nodes:
        if node.status == "running":
            yield from _cancel((node,), now, kind, reason)
        elif node.status in IDLE:
            status = "failed" if kind == "deadline" else "cancelled"
            yield item_ended(now, node.item_id, status, kind, reason)


def _below(group: Node) -> Iterator[Node]:
    for child in group.children:
        yield child
        yield from _below(child)


def _cancel(nodes: Iterable[Node], now: int, kind: str, reason: str) -> Iterator[Event]:
    for node in nodes:
        if not node.cancelled:
            body = {"kind": kind, "reason": reason}
            yield Event(now, "turn_cancelled", node.item_id, node.attempt_id, body)
