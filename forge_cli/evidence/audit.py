"""One pass over a log: the run is folded again, and every event held against what must be so."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from forge_cli.errors import ForgeError
from forge_cli.evidence.acceptance import Acceptance
from forge_cli.evidence.budgets import Budgets
from forge_cli.evidence.checks import Check, Faults, count
from forge_cli.evidence.contracts import Contracts
from forge_cli.evidence.deliveries import Deliveries
from forge_cli.evidence.denials import Denials
from forge_cli.evidence.head import Head
from forge_cli.evidence.layout import EVENTS, PLAN, Placement
from forge_cli.evidence.log import BrokenLogError, Log
from forge_cli.evidence.replay import Replay
from forge_cli.evidence.responses import Responses
from forge_cli.evidence.summary import Summary
from forge_cli.ledger.lines import Line
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Plan
from forge_cli.multiagent.run import Run

_WITHOUT_BODIES = (
    "not checked: `settings.evidence: digests` keeps the bodies out, so nothing can be"
)
_WITHOUT_LINKS = (
    "whose links are not checked: `settings.evidence: digests` keeps out what was tried"
)


class Audit:
    """What a pass over the log of a folder finds; `whole` says that it came to the log's end.

    `sandbox` is what the run's start says of it, if anything.
    Time and memory are linear in the number of events.
    """

    def __init__(self, folder: Path, plan: Plan) -> None:
        self._folder = folder
        self.plan = plan
        self._run = Run(plan)
        self._last: Event | None = None
        self._chain = Faults("chain")
        self._end = Faults("end")
        self._replay = Replay(self._run)
        self._contracts = Contracts(self._run.state)
        self._budgets = Budgets(self._run.state)
        self._responses = Responses()
        self._deliveries = Deliveries(self._run.state)
        self._denials = Denials(self._run.state)
        self._acceptance = Acceptance(self._run.state)
        self._log = Log()
        self._broken = False
        self.summary = Summary(self._run)
        self.placement = Placement()
        self.whole = False
        self.sandbox: str | None = None

    @property
    def head(self) -> Head:
        """Root and size over the lines that could follow those before."""
        return self._log.head

    def read(self, lines: Iterable[Line]) -> None:
        """Make the pass, up to the first line that cannot follow those before."""
        for _ in self.through(lines):
            if self._broken:
                return

    def through(self, lines: Iterable[Line]) -> Iterator[Line]:
        """Make the pass while the lines go on to somebody else, all of them in any case."""
        try:
            for line in lines:
                if not self._broken:
                    self._look(line)
                yield line
        except BrokenLogError as fault:
            self._break(str(fault))
        self.whole = not self._broken
        if self.whole:
            self._check_end(self._log.head.size or 0)

    def _look(self, line: Line) -> None:
        try:
            self._log.take(line)
            self._step(line.event, line.seq)
        except BrokenLogError as fault:
            self._break(str(fault))
        except Exception as fault:  # noqa: BLE001  # whatever a false event does to the machine
            self._break(f"{EVENTS}:{line.seq}: it cannot follow the events before: {fault!r}")

    def _break(self, sentence: str) -> None:
        self._chain.add(sentence)
        self._broken = True

    def finish(self) -> None:
        """Look at what lies beside the log: results that are kept as artifacts are judged."""
        if self.whole:
            self._acceptance.finish(self._artifacts())

    def checks(self) -> Iterator[Check]:
        """What the pass found, check by check."""
        size = self._log.head.size or 0
        yield from self._chain.checks(f"{count(size, 'event')}, each chained to the one before")
        full = self.plan.evidence == "full"
        again = (
            (
                self._replay.faults,
                f"{count(self._replay.decided, 'decision')}, the same as the machine's",
                "decided",
            ),
            (
                self._acceptance.faults,
                f"{count(self._acceptance.judged, 'verdict')}, the same when judged again",
                "judged",
            ),
        )
        plain = [
            (
                self._contracts.faults,
                f"{count(self._contracts.turns, 'turn')} within every link of the chain",
            ),
            (self._budgets.faults, "no budget was overspent at any point"),
            (
                self._responses.faults,
                f"{count(self._responses.correlated, 'response')}, each from whom it was asked",
            ),
            (self._end, f"the run ended {self._run.state.status}"),
        ]
        if self._denials.found or self._denials.faults:
            links = "each with its link" if full else _WITHOUT_LINKS
            told = f"{count(self._denials.found, 'denial')}, {links}; all pauses were made"
            plain.insert(-1, (self._denials.faults, told))
        if self._deliveries.turns:
            delivered = count(self._deliveries.delivered, "message")
            right = f"{delivered} delivered, each to who listens and once"
            plain.insert(-1, (self._deliveries.faults, right))
        for faults, right, word in again:
            yield from self._found(faults, right if full else f"{_WITHOUT_BODIES} {word} again")
        for faults, right in plain:
            yield from self._found(faults, right)

    def _found(self, faults: Faults, right: str) -> Iterator[Check]:
        # A pass that was cut short has found faults, and has not found their absence.
        if faults or self.whole:
            yield from faults.checks(right)

    def _step(self, event: Event, line: int) -> None:
        full = self.plan.evidence == "full"
        if full:
            self._replay.expect(event, line)
        if event.kind == "run_started" and event.body["plan"] != self.plan.digest:
            self._chain.add(
                f"{EVENTS}:{line}: the run was of plan {event.body['plan']}, {PLAN} is "
                f"{self.plan.digest}"
            )
        if event.kind == "run_started":
            self.sandbox = event.body.get("sandbox")
        self._run.apply(event)
        self.summary.add(event)
        self.placement.add(event)
        self._contracts.check(event, line)
        self._budgets.check(event, line)
        self._responses.check(event, line)
        self._deliveries.check(event, line)
        self._denials.check(event, line)
        if full:
            self._acceptance.check(event, line)
        self._last = event

    def _check_end(self, line: int) -> None:
        if self._last is None or self._last.kind != "run_ended":
            last = self._last.kind if self._last else "nothing"
            self._end.add(f"{EVENTS}:{line}: the log ends with {last}, not with the run's end")
        else:
            self._responses.end(line)

    def _artifacts(self) -> Callable[[str], bytes]:
        paths = {kept: self._folder / name for name, kept in self.placement.files()}

        def read(digest: str) -> bytes:
            try:
                return paths[digest].read_bytes()
            except (KeyError, OSError):
                raise ForgeError(f"its value {digest} is not in the evidence") from None

        return read
