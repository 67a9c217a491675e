"""The run machine: `apply` folds what happened, `decide` says what is due."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from forge_cli.multiagent.assignment import (
    Assignment,
    assign,
    condition_context,
    elements,
    run_outputs,
)
from forge_cli.multiagent.budget import Amounts
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.node import AWAITING, Node
from forge_cli.multiagent.plan import Json, Plan
from forge_cli.multiagent.resilience import AgentOutcome, assess_outcomes
from forge_cli.multiagent.responses import objection
from forge_cli.multiagent.run_state import RunState

IDLE = frozenset({"waiting", "ready", "retrying"})


@dataclass(frozen=True, slots=True)
class Evaluate:
    """A condition to evaluate; the answer comes back as `condition_evaluated`.

    `expression` is JMESPath, `context` what it looks at.
    """

    item: str
    expression: str
    context: Json


Command = Event | Assignment | Evaluate
"""What is due: an event to record, a turn to record and start, or a condition to evaluate."""


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
            fault = objection(self.state, event.attempt, body["sender"], body["status"])
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
        halted = self._halted(now)
        if state.conditions and not halted:
            return [self._evaluate(node) for node in state.conditions.values()]
        due: list[Command] = [*self._endings(now)]
        if not due and not halted:
            due = [*self._starts(now)]
        if not due and not state.running and (halted or state.retries.following(now) is None):
            due = [self._stalled(now) or self._ending(now)]
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

    def _endings(self, now: int) -> Iterator[Event]:
        """Everything that ends or is cancelled without another turn."""
        state = self.state
        if state.fated:
            for name, fate in state.fated.items():
                yield _ended(state.nodes[name], now, fate.status, fate.kind, fate.reason)
        elif state.failing:
            yield from _stop(state.open.values(), now, "cancelled", state.failing)
        elif state.signal:
            reason = f"the run got {state.signal}"
            yield from _cancel(state.running.values(), now, "cancelled", reason)
        elif now >= state.deadline:
            reason = "the run's deadline has passed"
            yield from _stop(state.open.values(), now, "deadline", reason)
        else:
            for group in state.stopping.values():
                if group.parent is not None and group.parent.stopped:
                    continue
                yield from _stop(_below(group), now, "cancelled", group.stopping)
            overdue = (state.nodes[name] for name in state.deadlines.due(now))
            late = (node for node in overdue if not node.stopped)
            yield from _stop(late, now, "deadline", "its deadline has passed")

    def _starts(self, now: int) -> Iterator[Command]:
        """What may start, first ready first served, as far as slots and budget go.

        It stops behind a command that reserves budget or ends an item: what is left for the next,
        and whether there is a next, is known when that one has been applied.
        """
        state = self.state
        slots = self.plan.max_concurrency - len(state.running)
        for node in chain(state.openable.values(), self._startable(now)):
            if node.pattern == "turn" and slots <= 0:
                return
            command, telling = self._start(node, now)
            if command is None:
                continue
            yield command
            slots -= isinstance(command, Assignment)
            if telling:
                return

    def _startable(self, now: int) -> Iterator[Node]:
        """The nodes whose next turn only needs a slot and budget, those tried before first."""
        state = self.state
        yield from (state.nodes[name] for name in state.retries.due(now))
        yield from state.ready.values()

    def _stalled(self, now: int) -> Event | None:
        """The end of a node that waits for budget which nobody is left to give back.

        While something awaits a decision, it might; but what is held for items that wait
        themselves never comes.
        """
        state = self.state
        if self._halted(now) or any(n.status in AWAITING for n in state.open.values()):
            return None
        for node in self._startable(now):
            amounts = self._slice(node, {})
            return _denied(node, now, amounts, node.payer.ask(amounts)[1])
        return None

    def _start(self, node: Node, now: int) -> tuple[Command | None, bool]:
        """The command that starts or ends a ready node, and whether it tells what else may start.

        None if only the reservations of others hold it back.
        """
        whole = _own_budget(node)
        draw, dimension = node.payer.ask(whole)
        if draw != "granted":
            return _denied(node, now, whole, dimension), True
        try:
            if node.pattern != "turn":
                return self._open(node, now), bool(whole)
            amounts = self._slice(node, whole)
            shared = {d: amount for d, amount in amounts.items() if d not in whole}
            draw, dimension = node.payer.ask(shared)
            if draw == "denied":
                return _denied(node, now, amounts, dimension), True
            if draw == "waits":
                return None, False
            return assign(self.state, node, amounts, now), bool(whole or amounts)
        except ValueError as fault:
            return _ended(node, now, "failed", "error", str(fault)), True

    def _open(self, node: Node, now: int) -> Event:
        values = elements(self.state, node) if node.pattern == "each" else []
        return Event(now, "item_opened", node.item_id, "", {"elements": values})

    def _slice(self, node: Node, whole: Amounts) -> Amounts:
        """What to reserve for one turn: the handler's `max_usage`, else all the item has left."""
        max_usage = self.plan.roles[node.item.role_id].handler.max_usage
        if max_usage is not None:
            limits = max_usage.limits()
            for dimension, amount in limits.items():
                if dimension in whole and amount > whole[dimension]:
                    raise ValueError(
                        f"one call may use {amount} {dimension}, its budget is {whole[dimension]}"
                    )
            return limits
        if whole or node.account is None:
            return whole
        return {dimension: node.account.free(dimension) or 0 for dimension in node.account.limits}

    def _ending(self, now: int) -> Event:
        """The end of the run; never better than the facts."""
        state = self.state
        status, missing, reason = self._assess()
        body: dict[str, Json] = {"status": status, "missing": list(missing), "reason": reason}
        if self.plan.outputs and status in ("complete", "degraded"):
            body["outputs"] = run_outputs(state)
        return Event(now, "run_ended", body=body)

    def _assess(self) -> tuple[str, tuple[str, ...], str]:
        state = self.state
        good = ("succeeded", "skipped")
        lost = [n for n in state.nodes.values() if n.required and n.ended and n.status not in good]
        if lost:
            roles = sorted({n.item.role_id for n in lost if n.pattern == "turn"})
            return "failed", tuple(roles), state.failing or _cause(lost)
        if state.signal and state.open:
            return "interrupted", (), f"the run got {state.signal}"
        if state.open:
            return "paused", (), ""
        done = [n for n in state.nodes.values() if n.status != "skipped"]
        required = {n.item.role_id for n in done if n.required and n.pattern == "turn"}
        minimum = self.plan.minimum_successes
        decision = assess_outcomes(
            [_outcome(n) for n in done if n.pattern == "turn" or n.status != "succeeded"],
            required,
            len(required) if minimum is None else minimum,
        )
        reason = "too few roles succeeded" if decision.status == "failed" else ""
        return decision.status, tuple(decision.missing_required), reason


def _outcome(node: Node) -> AgentOutcome:
    return AgentOutcome(node.item.role_id, node.status)


def _own_budget(node: Node) -> Amounts:
    """What the node reserves whole at its start: nothing once it has, or for its elements."""
    if node.item.budget is None or node.account is not None or node.pattern == "each":
        return {}
    return node.item.budget.limits()


def _denied(node: Node, now: int, amounts: Amounts, dimension: str) -> Event:
    left = node.payer.free(dimension)
    reason = f"it needs {amounts[dimension]} {dimension}, {left} are left"
    return _ended(node, now, "denied", "budget", reason)


def _cause(lost: list[Node]) -> str:
    first = next((n for n in lost if n.status in ("failed", "denied")), lost[0])
    return f"{first.item_id!r} {first.status} and is required"


def _stop(nodes: Iterable[Node], now: int, kind: str, reason: str) -> Iterator[Event]:
    """Cancel what runs and end what waits; what awaits a decision goes on awaiting it."""
    for node in nodes:
        if node.status == "running":
            yield from _cancel((node,), now, kind, reason)
        elif node.status in IDLE:
            status = "failed" if kind == "deadline" else "cancelled"
            yield _ended(node, now, status, kind, reason)


def _below(group: Node) -> Iterator[Node]:
    for child in group.children:
        yield child
        yield from child.children


def _cancel(nodes: Iterable[Node], now: int, kind: str, reason: str) -> Iterator[Event]:
    for node in nodes:
        if not node.cancelled:
            body = {"kind": kind, "reason": reason}
            yield Event(now, "turn_cancelled", node.item_id, node.attempt_id, body)


def _ended(node: Node, now: int, status: str, kind: str, reason: str) -> Event:
    body = {"status": status, "reason": reason}
    if kind:
        body["kind"] = kind
    return Event(now, "item_ended", node.item_id, "", body)
