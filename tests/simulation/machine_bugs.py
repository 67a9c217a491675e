"""Bugs of the machine: each breaks one thing of it, and nothing else."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from typing import Any

from forge_cli.gateway.acceptance import Acceptance
from forge_cli.multiagent.assignment import Assignment
from forge_cli.multiagent.board import Board, Window
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
from tests.simulation.planting import Plant, fold, method, patched

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


_window = Board.window


def _moved(self: Board, member: str, turn: int) -> Window:
    self._readers[member].window = None
    return _window(self, member, turn)


MACHINE: dict[str, tuple[str, Plant]] = {
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
    "a denied write goes on": ("G1", patched("multiagent.denials.pausing", by=lambda *_: None)),
    "denied reads are not counted": ("G1", patched("multiagent.denials.reads", by=lambda _: 0)),
    "a denied call lets who asked for it go on": (
        "G1",
        method(RunState, "_pause_once_answered", lambda *_: None),
    ),
    "a result counts from whoever sends it": (
        "G6",
        patched("multiagent.run.objection", "engines.recording.objection", by=_trusting),
    ),
    "an answer to an earlier turn counts": (
        "G6",
        patched("multiagent.run.objection", "engines.recording.objection", by=_turn_blind),
    ),
    "messages reach whoever is there": (
        "G6",
        method(Board, "hears", lambda self, member, post: post.author != member),
    ),
    "messages are given twice": ("G6", method(Board, "rest", lambda self, member: (member,))),
    "a turn that is made again is given more": ("G6", method(Board, "window", _moved)),
    "every post is taken": (
        "G6",
        patched("multiagent.posts._misplaced", by=lambda item, group, post: ""),
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
}
"""Each bug, the promise it breaks, and how it is planted."""
