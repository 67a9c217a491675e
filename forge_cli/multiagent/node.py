"""One work item in a run that is under way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from forge_cli.multiagent.board import Board
from forge_cli.multiagent.budget import Account, Amounts
from forge_cli.multiagent.plan import Grant, Item, Json, Pattern

ENDED = frozenset({"succeeded", "failed", "denied", "cancelled", "blocked", "skipped"})
OPEN = frozenset(
    {
        "waiting",
        "ready",
        "running",
        "retrying",
        "opened",
        "paused",
        "indeterminate",
        "compensating",
    }
)
AWAITING = frozenset({"paused", "indeterminate"})
"""Statuses that only a decision from outside can change."""

AGAIN = "again"
"""What follows when what an item did has been undone for the sake of another attempt."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an item comes from that the plan does not have: the request that it answers.

    `request` is `item/turn/index`; `asked` is what is asked of whom, to be told from other
    requests, in which `turn` of who asks; `depth` says how many contracts may follow below it.
    """

    request: str
    tool: str
    asked: tuple[str, ...] = ()
    depth: int = 0
    turn: int = 0


@dataclass(slots=True)
class Asking:
    """What one turn of the item `node` asks for, while some of it is not answered.

    `settled` has an entry for each request that has been decided: the answer, or the node of the
    item whose end will be the answer.
    """

    node: "Node"
    requests: Sequence[Json]
    settled: "list[Node | Json]" = field(default_factory=list)

    @property
    def decided(self) -> bool:
        """Whether every request has been admitted or denied."""
        return len(self.settled) == len(self.requests)


@dataclass(slots=True)
class Node:
    """What a run knows of one item, element or sub-task.

    `payer` is the account that a turn draws from: the item's own once it has one. `pending`
    counts what has to end before the item is ready. `continued` says that the item failed and its
    dependents start all the same, its outputs null; `yielded` that its attempt
    goes on with another turn; `stopping` says why what is open below the item
    is cancelled. `lost` attempts ended with their controller, `excused` ones do not count as tries;
    the next attempt begins with the turn `resume_at`, with what was `saved` before it, and is
    `told` why there is one. `seal` is the digest of the contract that the next or last attempt is
    made under, `approved` the one that a person let through. `begun` numbers the items that have
    done what can be undone, in the order in which they began, 0 for one that has not; `snapshot`
    is the digest of what was there before, `undone` counts the starts of compensations, `sequel` is
    the status that the item ends with once its branch is undone, or `AGAIN`. `talk` is where the
    sub-tasks of the item talk to each other, `board` where it talks to those beside it, `refused`
    what of the posts of its last turn was not taken. `origin` tells an item that another one asked
    for; `asking` is what its last turn asks for, `answers` what its next one is told of that; of
    its `children`, those of an item that began anew are the first `earlier`. `denied_reads` counts
    those of its attempt, `denied` says for which denial it pauses. Times are milliseconds since the
    epoch.
    """

    item_id: str
    item: Item
    grant: Grant
    payer: Account
    deadline: int
    pattern: Pattern = "turn"
    parent: "Node | None" = None
    each: Json = None
    account: Account | None = None
    status: str = "waiting"
    pending: int = 0
    attempt: int = 0
    turn: int = 0
    attempt_id: str = ""
    held: Amounts = field(default_factory=dict)
    read_version: int = 0
    retry_at: int | None = None
    cancelled: str = ""
    yielded: bool = False
    saved: Json = None
    output: Mapping[str, Json] | None = None
    partial: Json = None
    kind: str = ""
    reason: str = ""
    continued: bool = False
    held_digests: tuple[str, ...] = ()
    children: "list[Node]" = field(default_factory=list)
    released: int = 0
    open_children: int = 0
    stopping: str = ""
    lost: int = 0
    excused: int = 0
    resume_at: int = 1
    seal: str = ""
    approved: str = ""
    told: Json = None
    begun: int = 0
    snapshot: str = ""
    undone: int = 0
    undo_failed: bool = False
    sequel: str = ""
    talk: Board | None = None
    board: Board | None = None
    refused: tuple[Json, ...] = ()
    origin: Origin | None = None
    asking: Asking | None = None
    answers: tuple[Json, ...] = ()
    earlier: int = 0
    denied_reads: int = 0
    denied: Json = None

    @property
    def tries(self) -> int:
        """How many attempts count towards the limit of its retries."""
        return self.attempt - self.excused

    @property
    def ended(self) -> bool:
        """Whether nothing can change the status any more."""
        return self.status in ENDED

    @property
    def is_element(self) -> bool:
        """Whether this is one element of a `for_each`: it has the item of the one above."""
        return self.parent is not None and self.parent.item is self.item

    @property
    def accepted(self) -> bool:
        """Whether what depends on this item may start."""
        return self.status == "succeeded" or self.continued

    @property
    def stopped(self) -> bool:
        """Whether the item or one above it is being stopped, so that nothing below it starts."""
        return bool(self.stopping) or (self.parent is not None and self.parent.stopped)

    @property
    def required(self) -> bool:
        """Whether the run fails if this item does: it and all above it are required."""
        return self.item.required and (self.parent is None or self.parent.required)


@dataclass(frozen=True, slots=True)
class Fate:
    """How an item ends without another turn: decided, and not yet recorded."""

    status: str
    reason: str
    kind: str = ""
    output: Mapping[str, Json] | None = None
