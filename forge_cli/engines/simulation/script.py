"""What a simulated world is told to do: who answers what, which accidents happen, who watches."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from forge_cli.engines.simulation.engine import Response
from forge_cli.ledger.leases import Lease
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Plan
from forge_cli.multiagent.run import Run
from forge_cli.multiagent.turn import Turn, TurnResult

Accident = Literal[
    "crash-before", "crash-after", "disk-full", "stall", "rival", "robber", "jump", "signal"
]

AT_APPENDS = frozenset({"crash-before", "crash-after", "disk-full"})
"""The accidents that happen at an append; all others happen at a time."""


@dataclass(frozen=True, slots=True)
class Fault:
    """An accident, at an append (counted from 1) or so many milliseconds after the start.

    `span` is how long a controller stalls, the disk stays full or by how much all clocks jump, in
    milliseconds. A rival takes the run over if it may, a robber by force.
    """

    kind: Accident
    at: int
    span: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """How a call goes: its result, how long it takes, and what it does when it is cancelled.

    Times are in milliseconds. A call that is cancelled ends within its `grace` with `stopped`, or
    with its result if that is None; without a grace it does not heed it. `delay` is how long the
    answer is on its way, `echo` how much later it arrives once more, if it does. An `orphan` goes
    on though its controller is gone. `strays` are further responses, each so long after the call
    began. A call that `breaks` is a fault of the handler's own, which its controller does not
    survive.
    """

    result: TurnResult
    after: int = 0
    grace: int | None = 0
    stopped: TurnResult | None = None
    delay: int = 0
    echo: int | None = None
    orphan: bool = False
    breaks: bool = False
    strays: tuple[tuple[int, Response], ...] = ()


class Cast(Protocol):
    """Who plays along: what the handlers answer and what persons decide."""

    def reply(self, turn: Turn) -> Reply:
        """How the call of that turn goes."""
        ...

    def decide(self, run: Run, now: int) -> Sequence[Event]:
        """The decisions on a run that awaits some, each applied to it already."""
        ...


class Witness:
    """Sees all that happens in a simulated world; this one is content with everything."""

    def machine(self, plan: Plan) -> Run:
        """The machine for a controller that begins or takes over."""
        return Run(plan)

    def granted(self, held: Lease | None, lease: Lease, now: int, by_force: bool) -> None:
        """A controller got its lease; `held` is the one before."""

    def kept(self, events: Sequence[Event], epoch: int) -> None:
        """The ledger has kept events of a controller of that epoch."""

    def began(self, turn: Turn, now: int) -> None:
        """A call began."""

    def cancelled(self, turn: Turn) -> None:
        """A call was asked to end early."""

    def answered(self, turn: Turn, result: TurnResult) -> None:
        """A call ended with a result, which is on its way."""

    def rested(self, run: Run, now: int) -> None:
        """A controller has done all that was due, and waits."""
