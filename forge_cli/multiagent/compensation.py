"""What undoes an item, as the turn of a handler: the files put back, or a program called."""

from dataclasses import replace
from typing import Any

from forge_cli.multiagent.assignment import Assignment, fill_handler
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.lookup import Values
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.plan import Handler
from forge_cli.multiagent.run_state import RunState
from forge_cli.multiagent.times import to_text
from forge_cli.multiagent.turn import Turn

RESTORE = "restore"
"""The kind of handler that puts files back; its configuration is the digest of a `snapshot`."""

SPAN = 300_000
"""Milliseconds that a compensation has for itself, whatever the deadlines of its item and run."""


def compensations(state: RunState, now: int) -> list[Event | Assignment]:
    """What is due of undoing: the next compensation, or, of a run that a signal stops, its end."""
    if state.signal:
        return [
            Event(now, "compensation_cancelled", node.item_id, attempt, {"reason": reason})
            for attempt, node in state.compensating.items()
            if not node.cancelled
            for reason in (f"the run got {state.signal}",)
        ]
    node = state.following_undo
    if node is None or node.item.compensate is None or state.compensating:
        return []
    try:
        return [_compensation(state, node, node.item.compensate, now)]
    except ValueError as fault:
        return [Event(now, "compensation_refused", node.item_id, body={"reason": str(fault)})]


def _compensation(state: RunState, node: Node, handler: Handler, now: int) -> Assignment:
    """The next compensation of the node; `ValueError` if a reference in it has no value."""
    attempt = f"{state.run_id}/{node.item_id}/compensation-{node.undone + 1}"
    # The same for each start of one compensation, and another one for what later attempts do.
    key = f"{state.run_id}/{node.item_id}/undo-{node.attempt}"
    config = fill_handler(handler.config, Values(state, node, attempt=attempt))
    body: dict[str, Any] = {"key": key, "deadline": to_text(now + SPAN)}
    if handler.kind == RESTORE:
        config = body["handler"] = {"snapshot": node.snapshot}
    elif config is not handler.config:
        body["handler"] = config

    def turn() -> Turn:
        role = state.roles[node.item.role_id]
        return Turn(
            run_id=state.run_id,
            item_id=node.item_id,
            attempt_id=attempt,
            key=key,
            number=1,
            role_id=role.role_id,
            role_version=role.version,
            purpose="",
            inputs={},
            grant=replace(node.grant, outputs=("result",)),
            handler_kind=handler.kind,
            handler=config,
            budget={},
            timeout=SPAN,
            deadline=now + SPAN,
        )

    return Assignment(Event(now, "compensation_started", node.item_id, attempt, body), turn)


def to_keep(state: RunState, turn: Turn) -> tuple[str, ...]:
    """The scopes of which a snapshot is to be taken before the turn's handler is called, if any."""
    node = state.running.get(turn.attempt_id)
    undo = None if node is None else node.item.compensate
    if node is None or undo is None or undo.kind != RESTORE or node.snapshot:
        return ()
    return node.grant.writes
