"""The local engine: the run machine in one process, on an asyncio loop and a durable ledger."""

import asyncio
import time
from collections import deque
from collections.abc import Iterable, Mapping

from forge_cli.engines.keeping import kept, restored, synced
from forge_cli.engines.recording import (
    carried_out,
    compensated,
    expiry,
    ignored,
    response,
    snapshot_taken,
)
from forge_cli.gateway.patience import StoppedError
from forge_cli.gateway.snapshots import SnapshotError
from forge_cli.handlers.context import Stopped
from forge_cli.multiagent.agenda import Agenda
from forge_cli.multiagent.assignment import Assignment
from forge_cli.multiagent.compensation import RESTORE, to_keep
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.ports import (
    Artifacts,
    Clock,
    Handler,
    Judge,
    Keeper,
    Kept,
    Ledger,
    Observer,
)
from forge_cli.multiagent.run import Run
from forge_cli.multiagent.run_state import RunState
from forge_cli.multiagent.turn import Turn, TurnResult

HEARTBEAT = 5_000
"""Milliseconds between renewals of the lease."""

RECENT = 2
"""Milliseconds in which a turn has only just begun."""

NAP = 0.0001
"""Seconds that are worth to be slept for the next answer."""


class SystemClock:
    """The wall clock as it was at the start, carried on by the monotonic one.

    So a clock that is set while a run is under way moves no deadline and steals no lease.
    """

    def __init__(self, least: int = 0) -> None:
        """`least` is a time that it must not be before: that of what was recorded last."""
        self._wall = max(least, time.time_ns() // 1_000_000)
        self._start = time.monotonic_ns()

    def now(self) -> int:
        """Milliseconds since the epoch, UTC; never falls."""
        return self._wall + (time.monotonic_ns() - self._start) // 1_000_000


class LocalEngine:
    """Drives one run to its end.

    The events of one pass of the loop are made durable together, before any turn of that pass
    starts; a ledger that refuses ends the run at once with its error.
    """

    def __init__(
        self,
        run: Run,
        ledger: Ledger,
        handlers: Mapping[str, Handler],
        judge: Judge,
        clock: Clock,
        artifacts: Artifacts,
        keeper: Keeper,
        observers: Iterable[Observer] = (),
    ) -> None:
        self._run = run
        self._ledger = ledger
        self._handlers = handlers
        self._judge = judge
        self._clock = clock
        self._artifacts = artifacts
        self._keeper = keeper
        self._observers = tuple(observers)
        self._batch: list[Event] = []
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._results: deque[tuple[Turn, TurnResult]] = deque()
        # What was kept for turns whose handlers wait until that is durable.
        self._kept: deque[tuple[Turn, Kept, asyncio.Event]] = deque()
        # Turns whose verdict a signal cut short: they end when that signal has been taken in.
        self._undecided: list[tuple[Turn, TurnResult]] = []
        self._expired: dict[str, tuple[str, str]] = {}
        # One timer for all turns: of most, the time is never up.
        self._timeouts = Agenda()
        self._limits: dict[str, tuple[int, Turn]] = {}
        self._cancelled: set[str] = set()
        self._signals: deque[str] = deque()
        self._fault: BaseException | None = None
        self._wake = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._renewed = 0
        self._decided = 0
        self._begun = 0

    def stop(self, signal: str) -> None:
        """Ask for a clean stop: no new turns, running ones cancelled, and then the end."""
        self._signals.append(signal)
        self._results.extend(self._undecided)
        self._undecided.clear()
        self._wake.set()

    async def drive(self, *begun: Event) -> RunState:
        """Run to `run_ended`; nothing of any turn is left when it returns.

        `begun` are events that the run has applied and that are not durable yet: `run_started`,
        or what another controller found when it took over.
        """
        try:
            self._batch.extend(begun)
            while True:
                self._take_in()
                turns = self._advance()
                self._commit()
                if self._run.state.status:
                    return self._run.state
                for turn in turns:
                    self._begin(turn)
                if turns:
                    await self._let_begin()
                await self._rest()
        finally:
            await self._abandon()

    def _record(self, event: Event) -> None:
        self._run.apply(event)
        self._batch.append(event)

    def _take_in(self) -> None:
        """Turn what came from outside since the last pass into events."""
        if self._fault is not None:
            raise self._fault
        self._expire()
        now = self._clock.now()
        while self._signals:
            signal = self._signals.popleft()
            if not self._run.state.signal:
                self._record(Event(now, "run_stopping", body={"signal": signal}))
        for turn, found, _ in self._kept:
            if turn.attempt_id in self._run.state.running:
                self._record(snapshot_taken(turn, found, now))
        while self._results:
            turn, result = self._results.popleft()
            try:
                self._record(self._response(turn, result, now))
            except StoppedError:
                stopped = TurnResult.failed(
                    "cancelled", "stopped", usage=result.usage, captured=result.captured
                )
                self._undecided.append((turn, stopped))

    def _advance(self) -> list[Turn]:
        """Record everything that is due; returns the turns to start once it is durable."""
        turns: list[Turn] = []
        now = self._decided = self._clock.now()
        while commands := self._run.decide(now):
            for command in commands:
                if isinstance(command, Assignment):
                    turns.append(command.turn())
                    self._record(command.event)
                    continue
                try:
                    self._record(carried_out(command, now, self._artifacts))
                except StoppedError:
                    return turns  # the signal is taken in before anything else is decided
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
        while self._kept:
            self._kept.popleft()[2].set()

    def _begin(self, turn: Turn) -> None:
        if turn.attempt_id in self._cancelled:
            # What was decided behind it, in the same pass, has ended its item or the run.
            never = TurnResult.failed("cancelled", "it was cancelled before it began", usage={})
            self._results.append((turn, never))
            return
        self._begun = _ticks()
        self._limits[turn.attempt_id] = limit = self._begun + 1 + turn.timeout, turn
        self._timeouts.add(limit[0], turn.attempt_id)
        task = asyncio.get_running_loop().create_task(self._call(turn))
        self._tasks[turn.attempt_id] = task

    def _cancel(self, attempt: str) -> None:
        """Cancel a turn, once: a handler that is cancelled again gives no grace any more."""
        if attempt not in self._cancelled:
            self._cancelled.add(attempt)
            if attempt in self._tasks:
                self._tasks[attempt].cancel()

    async def _call(self, turn: Turn) -> None:
        try:
            self._results.append((turn, await self._made(turn)))
        except StoppedError:
            self._undecided.append((turn, TurnResult.failed("cancelled", "stopped")))
        except BaseException as fault:  # noqa: BLE001  # it ends the run, which raises it
            self._fault = fault
        self._timeouts.remove(self._limits.pop(turn.attempt_id)[0], turn.attempt_id)
        self._wake.set()

    async def _made(self, turn: Turn) -> TurnResult:
        try:
            if turn.handler_kind == RESTORE:
                return await restored(self._keeper, turn)
            await self._keep(turn)
            result = await self._handlers[turn.handler_kind].run(turn)
            if turn.grant.writes:
                await synced(self._keeper)  # before it is recorded that the turn has ended
            return result
        except SnapshotError as fault:
            unused = dict.fromkeys(turn.budget, 0)
            return TurnResult.failed("error", str(fault), usage=unused)
        except Stopped as stopped:
            return stopped.result
        except asyncio.CancelledError:
            return TurnResult.failed("cancelled", "stopped")

    async def _keep(self, turn: Turn) -> None:
        """Keep what the turn may change, durably, before its handler is called."""
        writes = to_keep(self._run.state, turn)
        if writes:
            recorded = asyncio.Event()
            self._kept.append((turn, await kept(self._keeper, writes), recorded))
            self._wake.set()
            await recorded.wait()

    def _expire(self) -> None:
        """Cancel the turns whose time is up."""
        for attempt in list(self._timeouts.due(_ticks())):
            limit, turn = self._limits[attempt]
            self._timeouts.remove(limit, attempt)
            self._expired[attempt] = expiry(turn, self._clock.now())
            self._cancel(attempt)

    def _response(self, turn: Turn, result: TurnResult, now: int) -> Event:
        """The event that a result becomes; its sender is the task that it came from."""
        self._tasks.pop(turn.attempt_id, None)
        self._cancelled.discard(turn.attempt_id)
        sender = f"{turn.role_id}#{turn.item_id}"
        expired = self._expired.pop(turn.attempt_id, None)
        if turn.attempt_id in self._run.state.compensating:
            return compensated(self._run.state, turn, result, now, expired is not None)
        late = ignored(self._run.state, sender, turn.attempt_id, turn.number, now, turn.item_id)
        return late or response(self._run.state, self._judge, turn, result, sender, now, expired)

    async def _let_begin(self) -> None:
        """Let the handlers begin, and those that answer at once do so.

        Each of them has been called when this returns: only then can it be cancelled.
        """
        await _pass()
        if not self._results:
            time.sleep(NAP)
            await _pass()

    async def _rest(self) -> None:
        """Wait until something happened or the machine wants to be asked again."""
        if not (self._results or self._kept or self._signals or self._fault):
            now, due = self._clock.now(), self._renewed + HEARTBEAT
            wakeup = self._run.wakeup(self._decided)
            delay = max(0, due - now if wakeup is None else min(wakeup, due) - now)
            if (timeout := self._timeouts.first()) is not None:
                delay = max(0, min(delay, timeout - _ticks()))
            self._timer = asyncio.get_running_loop().call_later(delay / 1000, self._wake.set)
            await self._wake.wait()
            self._timer.cancel()
        await self._settle()
        self._wake.clear()

    async def _settle(self) -> None:
        """Let answers that are on their way arrive, so that one commit makes all of them durable.

        While turns that have only just begun answer one after the other, it is worth to sleep for
        the next: to be woken and to commit for each costs more than most of them take.
        """
        known = 0
        while self._limits and known < len(self._results):
            known = len(self._results)
            if _ticks() - self._begun < RECENT:
                time.sleep(NAP)  # nothing is missed: whatever comes is there afterwards
            await _pass()

    async def _abandon(self) -> None:
        """Stop whatever still runs because the run ended with an error."""
        tasks = [task for task in self._tasks.values() if not task.done()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)


async def _pass() -> None:
    """Let the loop hear and carry what is said to it: an answer is known after two rounds."""
    await asyncio.sleep(0)
    await asyncio.sleep(0)


def _ticks() -> int:
    """Whole milliseconds of the monotonic clock."""
    return time.monotonic_ns() // 1_000_000
