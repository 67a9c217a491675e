"""What the machine's shells are made of: the Protocols that adapters satisfy."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.turn import Turn, TurnResult


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the engine says of a result. `reason` names the check that failed and both values.

    `evidence` maps each required output key or artifact to the digest forge itself took of it;
    `output` is the output as accepted (large values as artifacts, named by digest).
    """

    accepted: bool
    reason: str = ""
    output: Mapping[str, Json] | None = None
    evidence: Mapping[str, str] | None = None


class Clock(Protocol):
    """Where times come from."""

    def now(self) -> int:
        """Milliseconds since the epoch, UTC."""
        ...


class Ledger(Protocol):
    """The append-only event store of one run."""

    def append(self, events: Sequence[Event]) -> None:
        """Append the events as one unit; they are durable when this returns."""
        ...

    def renew(self, now: int) -> None:
        """Keep the lease beyond `now` (ms since the epoch); an error if another holds it."""
        ...


class Handler(Protocol):
    """One kind of handler. Cancelling `run` must leave nothing of the turn running."""

    async def run(self, turn: Turn) -> TurnResult:
        """Make one turn. Failures of the handler's own are results, not exceptions."""
        ...


class Judge(Protocol):
    """Who decides whether a result that is `done` is accepted: schema, criteria, evidence."""

    def judge(self, turn: Turn, result: TurnResult) -> Verdict:
        """Hold the result against the item's contract."""
        ...


class Artifacts(Protocol):
    """Bytes too large to travel inline, kept by what they are."""

    def put(self, data: bytes) -> str:
        """Keep the bytes durably; returns their `sha256:<hex>`."""
        ...

    def get(self, digest: str) -> bytes:
        """The bytes of a digest; `ForgeError` if they are not there."""
        ...


@dataclass(frozen=True, slots=True)
class Kept:
    """What was kept before an item could change it: the digest to restore it by, and how much."""

    snapshot: str
    files: int


class Keeper(Protocol):
    """Who keeps files, and puts them back. All of it may take long, and is called in a thread.

    Each raises an error whose text is a sentence for what cannot be done.
    """

    def keep(self, writes: Sequence[str], stopped: Callable[[], bool]) -> Kept:
        """Keep all that these scopes allow, durably; give it up soon after `stopped` says so."""
        ...

    def restore(self, snapshot: str) -> int:
        """Put what was kept back as it was; returns how many paths were not."""
        ...

    def sync(self) -> None:
        """Make durable what the files hold now, whoever wrote it."""
        ...


class Observer(Protocol):
    """Who is told of each event once it is durable."""

    def __call__(self, event: Event) -> None:
        """Look at the event; nothing that is done here changes the run."""
        ...
