"""The simulated world: controllers, calls and accidents on one virtual clock, from one seed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from heapq import heappop, heappush
from itertools import count
from random import Random

from forge_cli.engines.simulation.controller import Call, Controller, SkewedClock
from forge_cli.engines.simulation.engine import Response, SimulationEngine
from forge_cli.engines.simulation.ledger import Disk
from forge_cli.engines.simulation.script import AT_APPENDS, Cast, Fault, Witness
from forge_cli.errors import ForgeError
from forge_cli.multiagent.compensation import RESTORE
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Json, Plan
from forge_cli.multiagent.ports import Artifacts, Judge, Keeper
from forge_cli.multiagent.recovery import taken_over
from forge_cli.multiagent.run import Run
from forge_cli.multiagent.times import to_text
from forge_cli.multiagent.turn import Turn, TurnResult

START = 1_000_000
"""When a simulated run begins, in milliseconds since the epoch."""

LONGEST = 5_000
"""Steps after which a world in which something still happens is taken for one without end."""

MOST = 12
"""Epochs after which nobody tries again to undo what could not be undone."""

WAITS = (0, 1, 1_000, 20_000, 70_000)
"""Milliseconds until somebody goes on with a run that was left."""

SKEWS = (0, 0, 0, -3_000, 3_000, 90_000)
"""By how many milliseconds the clocks of controllers are off."""


class CrashError(BaseException):
    """A controller is gone, in the middle of what it did."""


class StuckError(Exception):
    """The run does not come to an end."""


class Simulation:
    """One run in one world; `machine` and `engine` may be others that are driven alike."""

    def __init__(
        self,
        plan: Plan,
        cast: Cast,
        judge: Judge,
        artifacts: Artifacts,
        keeper: Keeper,
        faults: Sequence[Fault] = (),
        seed: int = 0,
        inputs: Mapping[str, Json] | None = None,
        witness: Witness | None = None,
        engine: type[SimulationEngine] = SimulationEngine,
        disk: Disk | None = None,
    ) -> None:
        self.plan = plan
        self.disk = Disk() if disk is None else disk
        self.disk.accident, self.disk.told = self._append, self._kept
        self._cast = cast
        self._judge = judge
        self._artifacts = artifacts
        self._keeper = keeper
        self._inputs = inputs or {}
        self._witness = witness or Witness()
        self._engine = engine
        self._dice = Random(seed)  # noqa: S311  # to be the same again, not to be unforeseeable
        self._time = START
        self._queue: list[tuple[int, float, int, Callable[[], None]]] = []
        self._numbers = count()
        self._controllers: list[Controller] = []
        self._appends = 0
        self._full_until = -1
        self._at_appends = {fault.at: fault for fault in faults if fault.kind in AT_APPENDS}
        self._at(START, self._take_over)
        for fault in faults:
            if fault.kind not in AT_APPENDS:
                self._at(START + fault.at, partial(self._befall, fault))

    def now(self) -> int:
        """The world's time, in milliseconds since the epoch."""
        return self._time

    def play(self) -> Run:
        """Until nothing happens any more; returns the machine with the run as it was kept.

        `StuckError` if that is never so, or if the run has neither ended nor awaits a decision.
        """
        for _ in range(LONGEST):
            if not self._queue:
                break
            time, _, _, action = heappop(self._queue)
            self._time = max(self._time, time)
            action()
        run = self._machine()
        if self._queue or not (_is_final(run) or run.state.status == "paused"):
            raise StuckError(f"the run stands {run.state.status or 'still'} after all that happens")
        return run

    def _at(self, time: int, action: Callable[[], None]) -> None:
        # What is due at the same time comes in an order of the seed's.
        heappush(self._queue, (time, self._dice.random(), next(self._numbers), action))

    def _later(self, action: Callable[[], None]) -> None:
        self._at(self._time + self._dice.choice(WAITS), action)

    def _machine(self) -> Run:
        """The machine with all that the ledger has."""
        run = self._witness.machine(self.plan)
        for event in self.disk.events():
            run.apply(event)
        return run

    def _alive(self) -> Iterator[Controller]:
        return (one for one in reversed(self._controllers) if one.alive)

    def _take_over(self, by_force: bool = False) -> None:
        """A process comes that would go on with the run, or begin it."""
        name = f"controller-{len(self._controllers)}-{next(self._numbers)}"
        clock = SkewedClock(self, self._dice.choice(SKEWS))
        held = self.disk.lease
        try:
            ledger = self.disk.take(name, clock.now(), by_force)
        except ForgeError:
            if not any(self._alive()):
                self._later(self._take_over)
            return
        self._witness.granted(held, ledger.lease, clock.now(), by_force)
        run = self._machine()
        clock.not_before(max((event.time for event in self.disk.events()), default=0))
        if _is_final(run):
            ledger.release()
            return
        controller = Controller(name, clock, ledger, run, self)
        begun = self._begun(controller)
        if not begun:
            ledger.release()
            return
        controller.engine = self._engine(
            run, ledger, controller, self._judge, clock, self._artifacts, self._keeper
        )
        self._controllers.append(controller)
        controller.engine.begin(*begun)
        self._poke(controller, self._time)

    def _begun(self, controller: Controller) -> list[Event]:
        """What a controller records first: nothing of a run that awaits what nobody decides."""
        run, now = controller.run, controller.clock.now()
        if not run.state.run_id:
            events = [self._started(now)]
        else:
            events = taken_over(run.state, controller.ledger.epoch, now)
        paused = run.state.status == "paused"
        for event in events:
            run.apply(event)
        decisions = self._cast.decide(run, now) if paused else ()
        return [] if paused and not decisions else [*events, *decisions]

    def _started(self, now: int) -> Event:
        deadline = to_text(self.plan.deadline.resolve(now))
        body = {"run": "r", "plan": self.plan.digest, "inputs": self._inputs, "env": {}}
        return Event(now, "run_started", body={**body, "deadline": deadline})

    def _poke(self, controller: Controller, time: int) -> None:
        """Have the controller make a pass at that time, unless it makes one before."""
        if controller.due is None or time < controller.due:
            controller.due = time
            self._at(time, partial(self._pass, controller, time))

    def _pass(self, controller: Controller, due: int) -> None:
        if not controller.alive or controller.due != due:
            return
        controller.due = None
        if controller.stalled > self._time:
            self._poke(controller, controller.stalled)
            return
        try:
            going = controller.engine.advance()
        except (CrashError, ForgeError):
            self._lose(controller)
            return
        if going:
            self._witness.rested(controller.run, controller.clock.now())
            wakeup = controller.engine.wakeup() - controller.clock.skew
            self._poke(controller, max(self._time, wakeup))
        else:
            self._leave(controller)

    def _leave(self, controller: Controller) -> None:
        """A controller has come to an end of the run, which may be one to go on from."""
        self._end(controller)
        with suppress(ForgeError):
            controller.ledger.release()
        if not _is_final(controller.run):
            self._later(self._take_over)

    def _lose(self, controller: Controller) -> None:
        self._end(controller)
        self._later(self._take_over)

    def _end(self, controller: Controller) -> None:
        controller.alive = False
        self.disk.gone.add(controller.name)
        for call in controller.calls.values():
            call.over = call.over or not call.reply.orphan

    def begin(self, controller: Controller, turn: Turn) -> None:
        """Begin a call of that controller's."""
        self._witness.began(turn, controller.clock.now())
        reply = self._cast.reply(turn)
        if turn.handler_kind == RESTORE:
            changed = self._keeper.restore(turn.handler["snapshot"])
            reply = replace(reply, result=TurnResult.done({"changed": changed}), stopped=None)
        call = Call(turn, controller, reply)
        controller.calls[turn.attempt_id] = call
        self._at(self._time + reply.after, partial(self._finish, call, reply.result))
        for after, stray in reply.strays:
            self._at(self._time + after, partial(self._arrive, controller, stray))

    def cancel(self, controller: Controller, turn: Turn) -> None:
        """Cancel a call of that controller's."""
        self._witness.cancelled(turn)
        call = controller.calls[turn.attempt_id]
        reply = call.reply
        if reply.grace is not None:
            result = reply.stopped or reply.result
            self._at(self._time + reply.grace, partial(self._finish, call, result))

    def _finish(self, call: Call, result: TurnResult) -> None:
        if call.over:
            return
        call.over = True
        if call.reply.breaks:
            self._lose(call.owner)
            return
        turn = call.turn
        self._witness.answered(turn, result)
        sender = f"{turn.role_id}#{turn.item_id}"
        answer = Response(sender, turn.attempt_id, turn.number, result)
        arrival = self._time + call.reply.delay
        self._at(arrival, partial(self._arrive, call.owner, answer))
        if call.reply.echo is not None:
            self._at(arrival + call.reply.echo, partial(self._arrive, call.owner, answer))

    def _arrive(self, controller: Controller, response: Response) -> None:
        """A response arrives where it was asked for, or else where the run is driven by now."""
        there = controller if controller.alive else next(self._alive(), None)
        if there is not None:
            there.engine.deliver(response)
            self._poke(there, self._time + self._dice.choice((0, 0, 1)))

    def _befall(self, fault: Fault) -> None:
        if fault.kind == "jump":
            self._time += fault.span
        elif fault.kind in ("rival", "robber"):
            self._take_over(fault.kind == "robber")
        elif there := next(self._alive(), None):
            if fault.kind == "stall":
                there.stalled = self._time + fault.span
            else:
                there.engine.stop("SIGTERM")
                self._poke(there, self._time)

    def _append(self, keep: Callable[[], None]) -> None:
        self._appends += 1
        fault = self._at_appends.get(self._appends)
        kind = fault.kind if fault else ""
        if fault and kind == "disk-full":
            self._full_until = self._time + fault.span
        if self._time <= self._full_until:
            raise ForgeError("the ledger cannot be written: the disk is full")
        if kind == "crash-before":
            raise CrashError
        keep()
        if kind == "crash-after":
            raise CrashError

    def _kept(self, events: Sequence[Event], epoch: int) -> None:
        self._witness.kept(events, epoch)


def _is_final(run: Run) -> bool:
    over = bool(run.state.status) and not run.state.resumable
    return over or (run.state.status == "failed" and run.state.epoch > MOST)
