"""One process that drives a run in a simulated world."""

from typing import Protocol

from forge_cli.engines.simulation.engine import SimulationEngine
from forge_cli.engines.simulation.ledger import MemoryLedger
from forge_cli.engines.simulation.script import Reply
from forge_cli.multiagent.ports import Clock
from forge_cli.multiagent.run import Run
from forge_cli.multiagent.turn import Turn


class SkewedClock:
    """The world's time as one process knows it: off by so many milliseconds, and never falling."""

    def __init__(self, world: Clock, skew: int) -> None:
        self.skew = skew
        self._world = world
        self._latest = 0

    def now(self) -> int:
        """Milliseconds since the epoch, UTC."""
        return self.not_before(self._world.now() + self.skew)

    def not_before(self, time: int) -> int:
        """Let it be that time at least; returns what time it is."""
        self._latest = max(self._latest, time)
        return self._latest


class Call:
    """A call under way; it is `over` once it has answered or died with its controller."""

    def __init__(self, turn: Turn, owner: "Controller", reply: Reply) -> None:
        self.turn = turn
        self.owner = owner
        self.reply = reply
        self.over = False


class Stage(Protocol):
    """Where the calls of controllers take place."""

    def begin(self, controller: "Controller", turn: Turn) -> None:
        """Begin a call of that controller's."""
        ...

    def cancel(self, controller: "Controller", turn: Turn) -> None:
        """Cancel a call of that controller's."""
        ...


class Controller:
    """A process that holds, or held, the run's lease.

    It does nothing while it is `stalled`; `due` is when it is to make its next pass. Both are in
    the world's milliseconds. `calls` holds the last call of each attempt.
    """

    engine: SimulationEngine

    def __init__(
        self, name: str, clock: SkewedClock, ledger: MemoryLedger, run: Run, stage: Stage
    ) -> None:
        self.name = name
        self.clock = clock
        self.ledger = ledger
        self.run = run
        self.alive = True
        self.stalled = 0
        self.due: int | None = None
        self.calls: dict[str, Call] = {}
        self._stage = stage

    def begin(self, turn: Turn) -> None:
        """Begin a call; its answer comes to the engine."""
        self._stage.begin(self, turn)

    def cancel(self, turn: Turn) -> None:
        """Cancel a call that this controller began."""
        self._stage.cancel(self, turn)
