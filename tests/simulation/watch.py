"""Watches a simulated world, and holds every event in it against every promise."""

import json
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from forge_cli.engines.simulation.ledger import Disk
from forge_cli.engines.simulation.script import Witness
from forge_cli.evidence.replay import Replay
from forge_cli.ledger.leases import Lease
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Plan
from forge_cli.multiagent.run import Run
from forge_cli.multiagent.turn import Turn, TurnResult
from tests.simulation.authority import Authority
from tests.simulation.books import Books
from tests.simulation.broken import hold
from tests.simulation.denials import Denials
from tests.simulation.messages import Messages
from tests.simulation.tenure import Tenure
from tests.simulation.truth import Truth
from tests.simulation.turns import Turns
from tests.simulation.undoing import Undoing
from tests.simulation.versions import Versions

SEEN = (
    *("status", "attempt", "turn", "grant", "kind", "reason", "seal", "approved", "lost"),
    *("begun", "snapshot", "undone", "undo_failed", "sequel"),
    *("denied", "denied_reads"),
    *("answers", "earlier", "open_children"),
    *("excused", "resume_at", "retry_at", "held", "read_version", "continued", "output", "refused"),
)
_seen = attrgetter(*SEEN)


class Watched(Run):
    """A machine that is looked at after each event that it applies."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.applied = 0
        self._follow = (
            Books(plan).fold,
            Versions(plan).fold,
            Truth(plan).fold,
            Undoing(plan).fold,
            Denials(plan).fold,
        )

    def apply(self, event: Event) -> None:
        """Apply the event, and follow what it did."""
        super().apply(event)
        self.applied += 1
        for fold in self._follow:
            fold(event, self.state)


class Watch(Witness):
    """Every promise that a simulation can break: G1 to G9 and G11, one after the other."""

    def __init__(self, plan: Plan, disk: Disk) -> None:
        self._disk = disk
        self._machine = Watched(plan)
        self._authority = Authority(plan)
        self._tenure = Tenure()
        self._turns = Turns(plan)
        self._messages = Messages(plan)
        # A machine that only ever gets what is durable, as that of another engine would.
        self._again = Run(plan)
        self._replay = Replay(self._again)

    def machine(self, plan: Plan) -> Run:
        """A machine that is watched."""
        self._machine = Watched(plan)
        return self._machine

    def granted(self, held: Lease | None, lease: Lease, now: int, by_force: bool) -> None:
        self._tenure.granted(held, lease, now, by_force, self._disk)
        self._authority.lost()

    def kept(self, events: Sequence[Event], epoch: int) -> None:
        self._tenure.kept(events, epoch, self._machine.applied)
        for number, event in enumerate(events):
            if event.kind == "run_started":
                self._authority.start(event.time)
            elif event.kind == "turn_started":
                self._authority.asked(event.attempt, event.time)
            elif event.kind == "item_decided" and event.body.get("narrow"):
                self._authority.narrow(event.item, event.body["narrow"])
            self._authority.kept(event)
            self._turns.kept(event)
            self._messages.kept(event)
            again = Event(*json.loads(json.dumps(event)))
            self._replay.expect(again, number)
            self._again.apply(again)
        faults = [check.sentence for check in self._replay.faults.checks("")]
        hold("G11", not self._replay.faults, f"{faults}")

    def ended(self) -> None:
        """Nothing happens any more."""
        self._tenure.compare(self._disk)

    def began(self, turn: Turn, now: int) -> None:
        self._turns.began(turn)
        self._messages.began(turn)
        self._authority.began(turn, now)

    def cancelled(self, turn: Turn) -> None:
        self._authority.ended(turn)

    def answered(self, turn: Turn, result: TurnResult) -> None:
        self._turns.answered(turn, result)
        self._authority.ended(turn)

    def rested(self, run: Run, now: int) -> None:
        # Of one that was taken over and does not know it, neither clock nor calls count.
        if run is self._machine:
            self._authority.rested(now)
            self._compare(run)

    def _compare(self, run: Run) -> None:
        """The same events, read back, must have led to the same state."""
        for name, node in run.state.nodes.items():
            other = self._again.state.nodes[name]
            # Looked at field by field, and told of, only where they differ: it is done so often.
            for field in SEEN if _seen(node) != _seen(other) else ():
                one, two = getattr(node, field), getattr(other, field)
                hold(
                    "G11",
                    _plain(one) == _plain(two),
                    f"{field} of {name!r} is {one!r}, and {two!r} when read back",
                )
            if node.talk is not None and other.talk is not None:
                logs = node.talk.log, other.talk.log
                hold("G11", logs[0] == logs[1], f"what {name!r} talks of is {logs}")
        standing = (list(run.state.ready), list(run.state.running), list(run.state.open))
        again = self._again.state
        hold(
            "G11",
            standing == (list(again.ready), list(again.running), list(again.open)),
            "the order differs",
        )


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
