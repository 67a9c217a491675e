"""A coordinated run in one process: the run machine, driven synchronously."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from forge_cli.multiagent.assignment import Assignment
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Deadline, Grant, Handler, Item, Plan, Role
from forge_cli.multiagent.run import Command, Run
from forge_cli.multiagent.supervisor import WorkerStatus, choose_worker
from forge_cli.multiagent.times import to_text

FOREVER = 253_402_300_799_000
"""The last second of the year 9999, in milliseconds: a run driven here has no clock."""


@dataclass(frozen=True, slots=True)
class WorkItem:
    """One piece of work: what it takes, and whether the run fails if it does."""

    item_id: str
    required_capabilities: frozenset[str]
    required: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "required_capabilities", frozenset(self.required_capabilities))


@dataclass(frozen=True, slots=True)
class CollaborationRun:
    """How it ended: `complete`, `degraded` or `failed`, who did what, and the state's version."""

    status: str
    assignments: tuple[tuple[str, str], ...]
    state_version: int


def coordinate(
    items: Iterable[WorkItem],
    workers: Sequence[WorkerStatus],
    handlers: Mapping[str, Callable[[WorkItem], Any]],
) -> CollaborationRun:
    """Route the items by least privilege, run them in order and commit what succeeds.

    An exception or a missing handler is a failed outcome, and the rest goes on. Raises
    `ValueError` before any handler runs if no worker can do an item, or two items share an id.
    """
    work = list(items)
    twins = [name for name, count in Counter(w.item_id for w in work).items() if count > 1]
    if twins:
        raise ValueError(f"two items are named {twins[0]!r}")
    roles = {w.item_id: choose_worker(w.required_capabilities, workers) for w in work}
    plan = _plan(work, workers, {name: role.role_id for name, role in roles.items()})
    by_id = {w.item_id: w for w in work}
    run = Run(plan)
    body = {"run": "coordinate", "plan": "", "inputs": {}, "env": {}, "deadline": to_text(FOREVER)}
    run.apply(Event(0, "run_started", body=body))
    while commands := run.decide(0):
        for command in commands:
            for event in _events(command, by_id, handlers):
                run.apply(event)
    assignments = tuple((name, role.role_id) for name, role in roles.items())
    return CollaborationRun(run.state.status, assignments, run.state.commits.version)


def _events(
    command: Command,
    work: Mapping[str, WorkItem],
    handlers: Mapping[str, Callable[[WorkItem], Any]],
) -> list[Event]:
    """What a command leads to: here a turn has ended as soon as it has started."""
    if isinstance(command, Assignment):
        return [command.event, _turn(command, work, handlers)]
    return [command] if isinstance(command, Event) else []


def _turn(
    assignment: Assignment,
    work: Mapping[str, WorkItem],
    handlers: Mapping[str, Callable[[WorkItem], Any]],
) -> Event:
    turn = assignment.turn()
    body: dict[str, Any] = {"sender": f"{turn.role_id}#{turn.item_id}", "usage": {}}
    handler = handlers.get(turn.role_id)
    try:
        if handler is None:
            raise LookupError(f"role {turn.role_id!r} has no handler")
        output = handler(work[turn.item_id])
    except Exception as fault:  # noqa: BLE001  # whatever it raises is its outcome
        body |= {"status": "failed", "kind": "error", "message": f"{type(fault).__name__}: {fault}"}
    else:
        verdict = {"accepted": True, "reason": ""}
        body |= {"status": "done", "output": {"result": output}, "verdict": verdict}
    return Event(0, "turn_ended", turn.item_id, turn.attempt_id, body)


def _plan(
    work: Sequence[WorkItem], workers: Sequence[WorkerStatus], roles: Mapping[str, str]
) -> Plan:
    """The plan of these items: no order among them, and none stops the others."""
    call = Handler("callable", {})
    return Plan(
        name="coordinate",
        version="0.0.0",
        items={
            w.item_id: Item(
                w.item_id,
                role_id=roles[w.item_id],
                grant=Grant(capabilities=w.required_capabilities, outputs=("result",)),
                required=w.required,
                then="return-partial",
            )
            for w in work
        },
        roles={
            w.role.role_id: Role(w.role.role_id, 1, w.role.capabilities, ("result",), (), call)
            for w in workers
        },
        contracts={},
        deadline=Deadline(at=FOREVER),
        max_concurrency=1,
    )
