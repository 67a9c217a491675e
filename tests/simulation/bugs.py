"""Bugs to be planted: each breaks one thing in machine, ledger or engine, and nothing else."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from forge_cli.engines.simulation.controller import SkewedClock
from forge_cli.engines.simulation.engine import Response, SimulationEngine
from forge_cli.engines.simulation.ledger import Disk, MemoryLedger
from forge_cli.errors import ForgeError
from forge_cli.gateway.acceptance import Acceptance
from forge_cli.ledger.leases import SPAN, Lease
from forge_cli.multiagent.assignment import Assignment
from forge_cli.multiagent.budget import Account
from forge_cli.multiagent.commits import Commits
from forge_cli.multiagent.compensation import _compensation as compensation
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.plan import Handler
from forge_cli.multiagent.ports import Verdict
from forge_cli.multiagent.run import Run
from forge_cli.multiagent.run_state import RunState
from forge_cli.multiagent.shared_state import merge
from forge_cli.multiagent.starts import starts
from forge_cli.multiagent.turn import Turn
from tests.simulation.play import Ways

Plant = Callable[[pytest.MonkeyPatch], Ways]


def patched(*targets: str, by: Any) -> Plant:
    """A bug that stands in for these names of modules of the core and its shells."""

    def plant(patch: pytest.MonkeyPatch) -> Ways:
        for target in targets:
            patch.setattr(f"forge_cli.{target}", by)
        return Ways()

    return plant


def method(owner: type, name: str, by: Any) -> Plant:
    """A bug that stands in for a method."""

    def plant(patch: pytest.MonkeyPatch) -> Ways:
        patch.setattr(owner, name, by)
        return Ways()

    return plant


def fold(kind: str, wrap: Callable[[RunState, Event, Callable[..., None]], None]) -> Plant:
    """A bug in how one kind of event is folded; it is given how it should be."""

    def plant(patch: pytest.MonkeyPatch) -> Ways:
        right = RunState._FOLDS[kind]
        folds = {**RunState._FOLDS, kind: lambda state, event: wrap(state, event, right)}
        patch.setattr(RunState, "_FOLDS", folds)
        return Ways()

    return plant


_reserve, _settle = Account.reserve, Account.settle


def _twice(self: Account, amounts: Any) -> None:
    _reserve(self, amounts)
    for dimension, amount in amounts.items():
        self._payer(dimension).reserved[dimension] += amount


def _unsettled(node: Node, usage: Any, metered: Any) -> str:
    node.held = {}
    return ""


def _unnoticed(node: Node, usage: Any, metered: Any) -> str:
    node.payer.settle(node.held, usage or {})
    node.held = {}
    return ""


def _forgotten(node: Node, indeterminate: Account) -> None:
    node.held = {}


_commit = Commits.commit


def _stale(self: Commits, node: Node, output: Any) -> None:
    node.read_version = self.version
    _commit(self, node, output)


def _overwriting(self: Commits, node: Node, output: Any) -> None:
    seen, node.read_version = node.read_version, 10**9
    _commit(self, node, output)
    node.read_version = seen
    self.writers[-1] = (*self.writers[-1][:3], seen)


def _joined(kind: Any, current: Any, value: Any) -> Any:
    return merge("append" if kind == "union" else kind, current, value)


def _crowded(state: RunState, now: int) -> Iterator[Any]:
    plan, state.plan = state.plan, replace(state.plan, max_concurrency=9)
    try:
        yield from list(starts(state, now))
    finally:
        state.plan = plan


def _endless(state: RunState, event: Event, right: Callable[..., None]) -> None:
    right(state, event)
    state.deadline = 10**12


_moody = count()


def _fickle(state: RunState, now: int) -> Iterator[Any]:
    for name in list(state.ready) if next(_moody) % 3 == 0 else ():
        state.ready.move_to_end(name)
        break
    yield from starts(state, now)


def _met(self: RunState, dependent: Node, node: Node, strict: bool) -> None:
    self._met(dependent)


def _true(state: RunState, event: Event, right: Callable[..., None]) -> None:
    body = {"value": True} if event.body["value"] is False else event.body
    right(state, event._replace(body=body))


def _mild(state: RunState, event: Event, right: Callable[..., None]) -> None:
    right(state, event)
    state.running[event.attempt].cancelled = "cancelled"


def _from_the_start(state: RunState, event: Event, right: Callable[..., None]) -> None:
    node = state.running[event.attempt]
    right(state, event)
    node.resume_at = 1


def _forgetful(state: RunState, event: Event, right: Callable[..., None]) -> None:
    node = state.running[event.attempt]
    right(state, event)
    if node.yielded:
        node.saved = None


def _counted_anew(state: RunState, event: Event, right: Callable[..., None]) -> None:
    right(state, event)
    node = state.nodes[event.item]
    if node.status == "ready" and not node.yielded:
        node.attempt -= 1


def _again_under_hold(node: Node, halted: bool) -> str:
    return "resumable"


def _tried_under_hold(node: Node, kind: str, interrupted: bool, halted: bool) -> str:
    retry = node.item.retry
    if retry and not halted and kind in retry.on and node.tries < retry.max_attempts:
        return "retry"
    return "resumable" if interrupted and kind == "cancelled" else "end"


def _undone_again(state: RunState, event: Event, right: Callable[..., None]) -> None:
    right(state, event._replace(body={"status": "cancelled"}))


def _another_key(state: RunState, node: Node, handler: Handler, now: int) -> Assignment:
    right = compensation(state, node, handler, now)
    key = f"{right.event.body['key']}-{node.undone}"
    event = right.event._replace(body={**right.event.body, "key": key})
    return Assignment(event, lambda: replace(right.turn(), key=key))


def _open_again(state: RunState, event: Event, right: Callable[..., None]) -> None:
    right(state, event)
    state.concluded = None


def _trusting(state: RunState, attempt: str, sender: str, turn: int) -> str:
    node = state.running.get(attempt)
    return "" if node is not None and node.turn == turn else "late"


def _turn_blind(state: RunState, attempt: str, sender: str, turn: int) -> str:
    node = state.running.get(attempt)
    right = node is not None and f"{node.item.role_id}#{node.item_id}" == sender
    return "" if right else "late"


def _easy(self: Acceptance, turn: Turn, result: Any) -> Verdict:
    return Verdict(True, output=result.output)


class HeldTwice(Disk):
    def take(self, holder: str, now: int, by_force: bool = False) -> MemoryLedger:
        return super().take(holder, now, by_force=True)


class SameEpoch(Disk):
    def take(self, holder: str, now: int, by_force: bool = False) -> MemoryLedger:
        super().take(holder, now, by_force)
        self.lease = Lease(holder, 1, now + SPAN)
        return MemoryLedger(self, self.lease)


class Torn(Disk):
    """Loses the last event of long commits."""

    def keep(self, events: Sequence[Event], epoch: int) -> None:
        super().keep(events, epoch)
        if len(events) > 2:
            self._texts.pop()


class Late(Disk):
    """Acknowledges first and writes when the next commit comes."""

    def __init__(self) -> None:
        super().__init__()
        self._unwritten: list[str] = []

    def keep(self, events: Sequence[Event], epoch: int) -> None:
        super().keep(events, epoch)
        texts = self._texts[len(self._texts) - len(events) :]
        del self._texts[len(self._texts) - len(events) :]
        self._texts += self._unwritten
        self._unwritten = texts


class Altering(Disk):
    """Reads back a moment later than it was written."""

    def events(self) -> Iterator[Event]:
        for number, event in enumerate(super().events()):
            yield event._replace(time=event.time + (number > 4))


def _half(self: MemoryLedger, events: Sequence[Event]) -> None:
    self._check()
    self._disk.keep(events[:1], self.epoch)
    self._disk.accident(lambda: self._disk.keep(events[1:], self.epoch))


class Hasty(SimulationEngine):
    """Begins turns before they are durable."""

    def _decide(self) -> list[Turn]:
        for turn in super()._decide():
            self._start(turn)
        return []


class Heedless(SimulationEngine):
    """Begins what was cancelled in the same pass."""

    def _start(self, turn: Turn) -> None:
        self._cancelled.discard(turn.attempt_id)
        super()._start(turn)


class Timeless(SimulationEngine):
    """Never looks at the time that a turn has."""

    def _start(self, turn: Turn) -> None:
        super()._start(turn)
        self._timers.clear()


class Deaf(SimulationEngine):
    """Asks no turn to end."""

    def _cancel(self, attempt: str) -> None:
        self._cancelled.add(attempt)


class Careless(SimulationEngine):
    """Loses each seventh answer."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._number = 0

    def deliver(self, answer: Response) -> None:
        self._number += 1
        if self._number % 7:
            super().deliver(answer)


class Stubborn(SimulationEngine):
    """Goes on though the ledger refused."""

    def _commit(self) -> None:
        try:
            super()._commit()
        except ForgeError:
            self._batch = []


class Forger(SimulationEngine):
    """Records an answer under the turn that runs, whatever it answers."""

    def deliver(self, answer: Response) -> None:
        turn = self._turns.get(answer.attempt)
        number = turn.number if turn else answer.turn
        sender = f"{turn.role_id}#{turn.item_id}" if turn else answer.sender
        super().deliver(answer._replace(turn=number, sender=sender))


def ways(**made: Any) -> Plant:
    """A bug in what the world is made of."""
    return lambda _: Ways(**made)


BUGS: dict[str, tuple[str, Plant]] = {
    "a slice is reserved twice": ("G4", method(Account, "reserve", _twice)),
    "a turn is not settled": ("G4", patched("multiagent.run_state.settle", by=_unsettled)),
    "usage beyond a slice is not noticed": (
        "G4",
        patched("multiagent.run_state.settle", by=_unnoticed),
    ),
    "the slice of a lost turn is not given back": (
        "G4",
        patched("multiagent.run_state.lose", by=_forgotten),
    ),
    "an item's own budget is not given back": (
        "G4",
        patched("multiagent.standings.give_back", by=lambda _: None),
    ),
    "every draw is granted": ("G4", method(Account, "ask", lambda self, amounts: ("granted", ""))),
    "a commit forgets what its turn had read": ("G5", method(Commits, "commit", _stale)),
    "a stale write is accepted": ("G5", method(Commits, "commit", _overwriting)),
    "a union keeps what is there twice": ("G5", patched("multiagent.commits.merge", by=_joined)),
    "the run's deadline is ignored": ("G1", fold("run_started", _endless)),
    "deadlines of items are ignored": ("G1", method(RunState, "_watch", lambda self, node: None)),
    "what was lost ends nothing": (
        "G7",
        patched("multiagent.run_state.consequence", by=lambda *_: "closes"),
    ),
    "a signal does not keep turns from starting": (
        "G7",
        method(
            Run, "_halted", lambda self, now: bool(self.state.failing) or now >= self.state.deadline
        ),
    ),
    "more turns run than slots are there": ("G7", patched("multiagent.run.starts", by=_crowded)),
    "the order depends on more than the events": (
        "G11",
        patched("multiagent.run.starts", by=_fickle),
    ),
    "dependents start whatever became of the item": ("G7", method(RunState, "_tell", _met)),
    "a false condition is taken for true": ("G7", fold("condition_evaluated", _true)),
    "a result after the deadline counts": ("G7", fold("turn_cancelled", _mild)),
    "no item is required": ("G7", method(Node, "required", property(lambda self: False))),
    "finished turns are made again after a crash": ("G3", fold("turn_lost", _from_the_start)),
    "what a turn saved is forgotten": ("G3", fold("turn_ended", _forgetful)),
    "an attempt id is used again": ("G3", fold("turn_lost", _counted_anew)),
    "a lost attempt is made again under hold": (
        "G3",
        patched("multiagent.run_state.after_loss", by=_again_under_hold),
    ),
    "a timeout is tried again under hold": (
        "G3",
        patched("multiagent.run_state.after_failure", by=_tried_under_hold),
    ),
    "an approval is not waited for": (
        "G1",
        patched("multiagent.starts.admitted", by=lambda state, node, assignment, now: assignment),
    ),
    "elements reach beyond their contracts": (
        "G1",
        patched("multiagent.patterns.each.widening", by=lambda *_: ""),
    ),
    "a narrowed grant stays as it was": (
        "G1",
        patched("multiagent.decisions.narrowed", by=lambda grant, narrow: grant),
    ),
    "a result counts from whoever sends it": (
        "G6",
        patched("multiagent.run.objection", "engines.recording.objection", by=_trusting),
    ),
    "an answer to an earlier turn counts": (
        "G6",
        patched("multiagent.run.objection", "engines.recording.objection", by=_turn_blind),
    ),
    "every result is accepted, evidence or not": ("G7", method(Acceptance, "judge", _easy)),
    "a failed branch is not undone": ("G9", method(RunState, "_undo", lambda *_: False)),
    "a branch is undone oldest first": (
        "G9",
        patched("multiagent.undoings._age", by=lambda node: -node.begun),
    ),
    "what is undone is undone again": ("G9", fold("compensation_ended", _undone_again)),
    "a compensation is started again with another key": (
        "G9",
        patched("multiagent.compensation._compensation", by=_another_key),
    ),
    "undoing a failed run makes it another": ("G7", fold("run_resumed", _open_again)),
    "fencing is off": ("G8", method(MemoryLedger, "_check", lambda self: None)),
    "a lease is given to whoever asks": ("G8", ways(disk=HeldTwice)),
    "an epoch is used again": ("G8", ways(disk=SameEpoch)),
    "a long commit loses its last event": ("G2", ways(disk=Torn)),
    "a commit is acknowledged before it is kept": ("G2", ways(disk=Late)),
    "events are read back otherwise": ("G2", ways(disk=Altering)),
    "half of a commit is kept when its controller crashes": (
        "G2",
        method(MemoryLedger, "append", _half),
    ),
    "a clock falls behind what was recorded": (
        "G2",
        method(SkewedClock, "not_before", lambda self, time: time),
    ),
    "turns begin before they are durable": ("G3", ways(engine=Hasty)),
    "a turn that was cancelled begins": ("G3", ways(engine=Heedless)),
    "a turn has all the time there is": ("G1", ways(engine=Timeless)),
    "no call is asked to end": ("G1", ways(engine=Deaf)),
    "an answer is lost": ("end", ways(engine=Careless)),
    "a refusal of the ledger is ignored": ("G3", ways(engine=Stubborn)),
    "an answer is recorded as another's": ("G6", ways(engine=Forger)),
}
"""Each bug, the promise it breaks, and how it is planted."""
