"""The compiled manifest: what a run does, fixed before anything runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from forge_cli.multiagent.budget import DEFAULT_BUDGET, Budget
from forge_cli.multiagent.grants import DEFAULT_DEADLINE, NOTHING, Deadline, Grant
from forge_cli.multiagent.terms import FailureKind, Json, Merge, Pattern, Risk, Then

__all__ = [
    "DEFAULT_BUDGET",
    "DEFAULT_DEADLINE",
    "Contract",
    "Deadline",
    "FailureKind",
    "Grant",
    "Handler",
    "Input",
    "Item",
    "Json",
    "Merge",
    "Pattern",
    "Plan",
    "Retry",
    "Risk",
    "Role",
    "StateKey",
    "Then",
]


@dataclass(frozen=True, slots=True)
class Contract:
    """One link of a chain: what the delegator lets the delegate use and produce.

    Names are `run`, `role:<id>`, `delegation:<id>` and, for an item's own link, `item:<id>`.
    None means "not narrowed here"; an empty set or tuple means nothing. `parent_attempt` is
    recorded and grants nothing.
    """

    name: str
    delegator: str
    delegate: str
    capabilities: frozenset[str] | None = None
    scope: tuple[str, ...] | None = None
    outputs: tuple[str, ...] | None = None
    budget: Budget | None = None
    deadline: Deadline | None = None
    depth: int = 0
    purpose: str = ""
    parent_attempt: str = ""


@dataclass(frozen=True, slots=True)
class Retry:
    """How often and after what pause a failed attempt is made again.

    Pauses are in milliseconds: `backoff` before the second attempt, each further one `factor`
    (in thousandths, so 2 is 2000) times the one before, never over `maximum`.
    """

    max_attempts: int
    backoff: int = 0
    factor: int = 1000
    maximum: int | None = None
    on: frozenset[str] = frozenset({"timeout", "error", "invalid-output"})

    def pause(self, attempt: int) -> int:
        """Milliseconds to wait after failed attempt number `attempt` (from 1)."""
        pause = self.backoff
        for _ in range(attempt - 1):
            pause = pause * self.factor // 1000
            if self.maximum is not None and pause >= self.maximum:
                break
        return pause if self.maximum is None else min(pause, self.maximum)


@dataclass(frozen=True, slots=True)
class Handler:
    """What a turn calls. `digest` covers the configuration and the bytes of files it names.

    `max_usage` is what one call may use. `metered` are the dimensions of which the handler tells
    what it used: if it does not, it is unknown. An `elastic` one makes do with less than
    `max_usage` where less is left. `plug_in` is the distribution and version that a kind comes from
    which is not forge's own.
    """

    kind: str
    config: Mapping[str, Json]
    digest: str = ""
    max_usage: Budget | None = None
    metered: frozenset[str] = frozenset()
    plug_in: str = ""
    elastic: bool = False


@dataclass(frozen=True, slots=True)
class Role:
    """A role as compiled: inline items have one each, named `inline:<item>`.

    `delegates` are the roles that it may hand work to; what of it, the contract
    `delegates:<role>` says.
    """

    role_id: str
    version: int
    capabilities: frozenset[str]
    outputs: tuple[str, ...]
    scope: tuple[str, ...]
    handler: Handler
    budget: Budget | None = None
    delegates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StateKey:
    """A shared key, the role that owns it, and what happens when two write it."""

    owner: str
    merge: Merge = "reject"


@dataclass(frozen=True, slots=True)
class Item:
    """One work item, compiled: all names resolved, all limits narrowed, all orders explicit.

    `inputs`, `goal` and the handler's configuration still hold `${...}` references; `with_each`
    says that `grant.scope` or `grant.writes` does. `depends_on` must be accepted before, `after`
    must have ended, however. Times are in milliseconds. `chain` names contracts of the plan,
    from the run inwards; the item's own link is `grant`, `budget`, `deadline`. `env` and
    `secrets` go beside those of the role's handler, `sandbox` goes before its own; an inline item
    has them in its handler. With
    `approval` each attempt awaits a person's. `compensate` undoes what it did: a handler of kind
    `restore`, which puts what is below `grant.writes` back, or a program. `rounds` and `channels`
    are those of its sub-tasks; of a sub-task `posts` are the channels it may post to, `listens` the
    channels or tags it hears, None for all. `max_steps` is how many steps it may insert.
    """

    item_id: str
    role_id: str = ""
    pattern: Pattern = "turn"
    parent: str | None = None
    children: tuple[str, ...] = ()
    goal: str = ""
    inputs: Mapping[str, Json] = field(default_factory=dict)
    grant: Grant = NOTHING
    chain: tuple[str, ...] = ("run",)
    with_each: bool = False
    depends_on: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    when: str | None = None
    for_each: Json = None
    max_parallel: int | None = None
    required: bool = True
    risk: Risk = "read_only"
    budget: Budget | None = None
    deadline: Deadline | None = None
    timeout: int = 3_600_000
    completion: str | None = None
    criteria: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    context_package: str | None = None
    retry: Retry | None = None
    then: Then = "fail"
    on_crash: Literal["rerun", "hold"] = "rerun"
    approval: bool = False
    compensate: Handler | None = None
    return_key: str | None = None
    rounds: int = 4
    channels: tuple[str, ...] = ()
    posts: tuple[str, ...] | None = None
    listens: tuple[str, ...] | None = None
    delegation: str | None = None
    route: str = "named"
    env: Mapping[str, str] = field(default_factory=dict)
    secrets: tuple[str, ...] = ()
    sandbox: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    max_steps: int = 0


@dataclass(frozen=True, slots=True)
class Input:
    """An input of the run: `required` when it has no default."""

    required: bool
    default: Json = None
    type: str = "any"


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything a run needs to know, immutable. `digest` covers all of it but itself.

    `items` holds every item that the manifest spells out, sub-tasks behind their parents, in
    manifest order; elements of a `for_each` come into being when the run reaches it. `files` maps
    each file that takes part (handlers, schemas, prompts; relative to the manifest) to its digest,
    `programs` those that arguments of programs name (relative to the workspace), `included` those
    that parts of the manifest are from. `broadcast_buffer` is how many messages wait for a reader
    at most, 0 for any number. `vocabulary` has the actions of each capability that can be granted
    while the run goes on.
    """

    name: str
    version: str
    items: Mapping[str, Item]
    roles: Mapping[str, Role]
    contracts: Mapping[str, Contract]
    budget: Budget = DEFAULT_BUDGET
    deadline: Deadline = DEFAULT_DEADLINE
    max_concurrency: int = 4
    broadcast_buffer: int = 256
    minimum_successes: int | None = None
    inputs: Mapping[str, Input] = field(default_factory=dict)
    env: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    state: Mapping[str, StateKey] = field(default_factory=dict)
    schemas: Mapping[str, Json] = field(default_factory=dict)
    context_packages: Mapping[str, Json] = field(default_factory=dict)
    outputs: Mapping[str, Json] = field(default_factory=dict)
    evidence: Literal["full", "digests"] = "full"
    labels: Mapping[str, str] = field(default_factory=dict)
    manifest: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    programs: Mapping[str, str] = field(default_factory=dict)
    included: Mapping[str, str] = field(default_factory=dict)
    vocabulary: Mapping[str, Json] = field(default_factory=dict)
    digest: str = ""

    def planned(self, item_id: str) -> Item | None:
        """The item that an id is, or is an element of; None for one made at run time."""
        item = self.items.get(item_id)
        if item is None:
            above, _, name = item_id.rpartition(".")
            item = self.items.get(above) if name.isdecimal() else None
        return item
