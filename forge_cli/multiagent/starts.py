"""What may start, as far as slots and budgets go, and what never can."""

from collections.abc import Iterator
from itertools import chain

from forge_cli.multiagent.assignment import Assignment, assign, elements
from forge_cli.multiagent.budget import Amounts
from forge_cli.multiagent.events import Event, item_ended
from forge_cli.multiagent.node import AWAITING, Node
from forge_cli.multiagent.run_state import RunState
from forge_cli.multiagent.sealing import Seal, admitted

Start = Event | Assignment | Seal
"""What starts or ends a node, or has to be known before."""


def starts(state: RunState, now: int) -> Iterator[Start]:
    """What may start, first ready first served, as far as slots and budget go.

    It stops behind a command that reserves budget, asks for something or ends an item: what is
    left for the next, and whether there is a next, is known when that one has been applied.
    """
    slots = state.plan.max_concurrency - len(state.running)
    for node in chain(state.openable.values(), _startable(state, now)):
        if node.pattern == "turn" and slots <= 0:
            return
        command, telling = _start(state, node, now)
        if command is None:
            continue
        yield command
        slots -= isinstance(command, Assignment)
        if telling:
            return


def _startable(state: RunState, now: int) -> Iterator[Node]:
    """The nodes whose next turn only needs a slot and budget, those tried before first."""
    yield from (state.nodes[name] for name in state.retries.due(now))
    yield from state.ready.values()


def stalled(state: RunState, now: int) -> Event | None:
    """The end of a node that waits for budget which nobody is left to give back.

    While something awaits a decision, it might; but what is held for items that wait
    themselves never comes.
    """
    if any(n.status in AWAITING for n in state.open.values()):
        return None
    for node in _startable(state, now):
        amounts = _slice(state, node, {})
        return _denied(node, now, amounts, node.payer.ask(amounts)[1])
    return None


def _start(state: RunState, node: Node, now: int) -> tuple[Start | None, bool]:
    """The command that starts or ends a ready node, and whether it tells what else may start.

    None if only the reservations of others hold it back.
    """
    whole = _own_budget(node)
    draw, dimension = node.payer.ask(whole)
    if draw != "granted":
        return _denied(node, now, whole, dimension), True
    try:
        if node.pattern != "turn":
            return _open(state, node, now), bool(whole)
        amounts = _slice(state, node, whole)
        shared = {d: amount for d, amount in amounts.items() if d not in whole}
        draw, dimension = node.payer.ask(shared)
        if draw == "denied":
            return _denied(node, now, amounts, dimension), True
        if draw == "waits":
            return None, False
        command = admitted(state, node, assign(state, node, amounts, now), now)
        return command, bool(whole or amounts) or not isinstance(command, Assignment)
    except ValueError as fault:
        return item_ended(now, node.item_id, "failed", "error", str(fault)), True


def _open(state: RunState, node: Node, now: int) -> Event:
    values = elements(state, node) if node.pattern == "each" else []
    return Event(now, "item_opened", node.item_id, "", {"elements": values})


def _slice(state: RunState, node: Node, whole: Amounts) -> Amounts:
    """What to reserve for one turn: the handler's `max_usage`, else all the item has left."""
    handler = state.roles[node.item.role_id].handler
    if handler.max_usage is not None:
        limits = handler.max_usage.limits()
        if handler.elastic:
            limits = _as_left(node, limits, whole)
        for dimension, amount in limits.items():
            if dimension in whole and amount > whole[dimension]:
                raise ValueError(
                    f"one call may use {amount} {dimension}, its budget is {whole[dimension]}"
                )
        return limits
    if whole or node.account is None:
        return whole
    # What was used beyond a slice leaves less than nothing.
    return {d: max(node.account.free(d) or 0, 0) for d in node.account.limits}


def _as_left(node: Node, most: Amounts, whole: Amounts) -> dict[str, int]:
    """Of what a call may use that which is limited, and no more than is left of it.

    Without any tool it can be made; of everything else it needs something.
    """
    found: dict[str, int] = {}
    for dimension, amount in most.items():
        left = whole[dimension] if dimension in whole else node.payer.unspent(dimension)
        if left is not None:
            found[dimension] = max(min(amount, left), 0 if dimension == "tool_calls" else 1)
    return found


def _own_budget(node: Node) -> Amounts:
    """What the node reserves whole at its start: nothing once it has, or for its elements."""
    if node.item.budget is None or node.account is not None or node.pattern == "each":
        return {}
    return node.item.budget.limits()


def _denied(node: Node, now: int, amounts: Amounts, dimension: str) -> Event:
    left = node.payer.free(dimension)
    reason = f"it needs {amounts[dimension]} {dimension}, {left} are left"
    return item_ended(now, node.item_id, "denied", "budget", reason)
