"""The simulated engine: the run machine, driven pass by pass by whoever plays the world."""

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple, Protocol

from forge_cli.engines.recording import (
    carried_out,
    compensated,
    expiry,
    ignored,
    response,
    snapshot_taken,
)
from forge_cli.multiagent.assignment import Assignment
from forge_cli.multiagent.compensation import to_keep
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.ports import Artifacts, Clock, Judge, Keeper, Ledger, Observer
from forge_cli.multiagent.run import Run
from forge_cli.multiagent.turn import Turn, TurnResult

HEARTBEAT = 5_000
"""Milliseconds between renewals of the lease."""


class Response(NamedTuple):
    """What arrives as the answer to a turn; `sender` is the channel by which it came."""

    sender: str
    attempt: str
    turn: int
    result: TurnResult


class Calls(Protocol):
    """Where turns are made; each is answered by a `Response`, also one that is cancelled."""

    def begin(self, turn: Turn) -> None:
        """Begin the turn."""
        ...

    def cancel(self, turn: Turn) -> None:
        """Ask the turn to end early; it may have ended."""
        ...


class SimulationEngine:
    """Drives one run; it never waits: time passes and responses arrive between two passes.

    The events of one pass are made durable together, before any turn of that pass begins.
    """

    def __init__(
        self,
        run: Run,
        ledger: Ledger,
        calls: Calls,
        judge: Judge,
        clock: Clock,
        artifacts: Artifacts,
        keeper: Keeper,
        observers: Iterable[Observer] = (),
    ) -> None:
        self._run = run
        self._ledger = ledger
        self._calls = calls
        self._judge = judge
        self._clock = clock
        self._artifacts = artifacts
        self._keeper = keeper
        self._observers = tuple(observers)
        self._batch: list[Event] = []
        self._inbox: deque[Response] = deque()
        self._signals: deque[str] = deque()
        self._turns: dict[str, Turn] = {}
        # Turns that begin once what they may change has been kept, and that is durable.
        self._keeping: dict[str, Turn] = {}
        self._timers: dict[str, int] = {}
        self._expired: dict[str, tuple[str, str]] = {}
        self._cancelled: set[str] = set()
        self._begun: set[str] = set()
        self._renewed = clock.now()

    def begin(self, *begun: Event) -> None:
        """Take what the run has applied and what is not durable yet, before the first pass."""
        self._batch.extend(begun)

    def deliver(self, answer: Response) -> None:
        """Something arrived; it is looked at in the next pass."""
        self._inbox.append(answer)

    def stop(self, signal: str) -> None:
        """Ask for a clean stop: no new turns, running ones cancelled, and then the end."""
        self._signals.append(signal)

    def advance(self) -> bool:
        """One pass; false once the run has ended. `ForgeError` if the ledger refuses."""
        self._take_in()
        turns = self._decide()
        self._commit()
        if self._run.state.status:
            return False
        kept, self._keeping = self._keeping, {}
        for turn in kept.values():
            self._begin(turn)
        for turn in turns:
            self._start(turn)
        return True

    def wakeup(self) -> int:
        """When the next pass is due though nothing arrives, in milliseconds since the epoch."""
        now = self._clock.now()
        if self._inbox or self._signals or self._keeping:
            return now
        times = [self._renewed + HEARTBEAT, *self._timers.values()]
        due = self._run.wakeup(now)
        return min(times if due is None else [*times, due])

    def _record(self, event: Event) -> None:
        self._run.apply(event)
        self._batch.append(event)

    def _take_in(self) -> None:
        now = self._clock.now()
        while self._signals:
            signal = self._signals.popleft()
            if not self._run.state.signal:
                self._record(Event(now, "run_stopping", body={"signal": signal}))
        for attempt, turn in self._keeping.items():
            if attempt in self._run.state.running:
                kept = self._keeper.keep(to_keep(self._run.state, turn), lambda: False)
                self._record(snapshot_taken(turn, kept, now))
        while self._inbox:
            self._record(self._answered(self._inbox.popleft(), now))
        for attempt in [attempt for attempt, due in self._timers.items() if due <= now]:
            del self._timers[attempt]
            self._expired[attempt] = expiry(self._turns[attempt], now)
            self._cancel(attempt)

    def _answered(self, answer: Response, now: int) -> Event:
        state, attempt, sender = self._run.state, answer.attempt, answer.sender
        turn = self._turns.get(attempt)
        undoes = attempt in state.compensating and turn is not None and sender == _channel(turn)
        late = None if undoes else ignored(state, sender, attempt, answer.turn, now)
        if late is not None:
            return late
        turn = self._turns.pop(attempt)
        self._timers.pop(attempt, None)
        self._cancelled.discard(attempt)
        self._begun.discard(attempt)
        expired = self._expired.pop(attempt, None)
        if undoes:
            return compensated(state, turn, answer.result, now, expired is not None)
        return response(state, self._judge, turn, answer.result, sender, now, expired)

    def _decide(self) -> list[Turn]:
        turns: list[Turn] = []
        now = self._clock.now()
        while commands := self._run.decide(now):
            for command in commands:
                if isinstance(command, Assignment):
                    turns.append(command.turn())
                self._record(carried_out(command, now, self._artifacts))
        return turns

    def _commit(self) -> None:
        batch, self._batch = self._batch, []
        if batch:
            self._ledger.append(batch)
        now = self._clock.now()
        if now - self._renewed >= HEARTBEAT:
            self._ledger.renew(now)
            self._renewed = now
        for event in batch:
            if event.kind in ("turn_cancelled", "compensation_cancelled"):
                self._cancel(event.attempt)
            for observe in self._observers:
                observe(event)

    def _start(self, turn: Turn) -> None:
        self._turns[turn.attempt_id] = turn
        self._timers[turn.attempt_id] = self._clock.now() + turn.timeout
        if to_keep(self._run.state, turn):
            self._keeping[turn.attempt_id] = turn
        else:
            self._begin(turn)

    def _begin(self, turn: Turn) -> None:
        if turn.attempt_id not in self._cancelled:
            self._begun.add(turn.attempt_id)
            self._calls.begin(turn)
            return
        # What was decided behind it, before it could begin, has ended its item or the run.
        stopped = TurnResult.failed("cancelled", "it was cancelled before it began", usage={})
        self.deliver(Response(_channel(turn), turn.attempt_id, turn.number, stopped))

    def _cancel(self, attempt: str) -> None:
        """Cancel a turn, once: a handler that is cancelled again gives no grace any more."""
        if attempt not in self._cancelled:
            self._cancelled.add(attempt)
            if attempt in self._begun:
                self._calls.cancel(self._turns[attempt])


def _channel(turn: Turn) -> str:
    """Where the answer to a turn comes from."""
    return f"{turn.role_id}#{turn.item_id}"
