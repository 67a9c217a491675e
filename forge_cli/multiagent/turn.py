"""One call of a handler: what it is given and what it answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Self

from forge_cli.multiagent.budget import Amounts
from forge_cli.multiagent.grants import Grant
from forge_cli.multiagent.messages import AgentMessage
from forge_cli.multiagent.terms import Json

TurnStatus = Literal["done", "failed", "yields"]


@dataclass(frozen=True, slots=True)
class Turn:
    """Everything that a handler gets to know for one call, and nothing else of the run.

    `attempt_id` is new for every attempt; `key` is the same for every attempt at the same turn of
    the same item, so that an effect can be made once. `handler` is the handler's configuration
    with every reference resolved. `budget` is the slice that is reserved for this turn.
    `timeout` is in milliseconds, `deadline` in milliseconds since the epoch (UTC); `completion`
    is the JSON Schema that the output will be held against. `inbox` holds what is new for it, each
    from the channel that it came by; `group` says in which pattern and with whom it works, if so.
    `delegates` are the roles that it may ask to have work done by, `answers` those to what the turn
    before asked for, in the order in which it did. `max_steps` is how many steps the item may
    insert.
    """

    run_id: str
    item_id: str
    attempt_id: str
    key: str
    number: int
    role_id: str
    role_version: int
    purpose: str
    inputs: Mapping[str, Json]
    grant: Grant
    handler_kind: str
    handler: Mapping[str, Json]
    budget: Amounts
    timeout: int
    deadline: int
    context: Json = None
    completion: Json = None
    inbox: tuple[AgentMessage, ...] = ()
    state: Json = None
    group: Json = None
    delegates: tuple[str, ...] = ()
    max_steps: int = 0
    answers: tuple[Json, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnResult:
    """What a handler answers: it is done, it failed, or it yields and wants another turn.

    `usage` maps budget dimensions to what was used; of those that the handler meters, one that is
    missing is unknown and settles at the full slice. `captured` maps names of streams
    or files to the digests under which they are kept. `kind` says why a failed turn failed. `posts`
    are messages for those beside it, each `{text, tags?, channel?}`.
    """

    status: TurnStatus
    output: Mapping[str, Json] | None = None
    evidence: Mapping[str, str] = field(default_factory=dict)
    usage: Amounts | None = None
    effects: tuple[Json, ...] = ()
    kind: str | None = None
    message: str = ""
    partial: Json = None
    state: Json = None
    posts: tuple[Json, ...] = ()
    requests: tuple[Json, ...] = ()
    captured: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def done(
        cls,
        output: Mapping[str, Json],
        evidence: Mapping[str, str] | None = None,
        usage: Amounts | None = None,
        effects: tuple[Json, ...] = (),
        captured: Mapping[str, str] | None = None,
        posts: tuple[Json, ...] = (),
    ) -> Self:
        """The turn finished the item; whether it is accepted is for the engine to say."""
        return cls(
            "done",
            output=output,
            evidence=evidence or {},
            usage=usage,
            effects=effects,
            captured=captured or {},
            posts=posts,
        )

    @classmethod
    def failed(
        cls,
        kind: str,
        message: str,
        partial: Json = None,
        usage: Amounts | None = None,
        effects: tuple[Json, ...] = (),
        captured: Mapping[str, str] | None = None,
        posts: tuple[Json, ...] = (),
    ) -> Self:
        """The turn came to nothing, for a reason of this kind (`FailureKind`)."""
        return cls(
            "failed",
            kind=kind,
            message=message,
            partial=partial,
            usage=usage,
            effects=effects,
            captured=captured or {},
            posts=posts,
        )

    @classmethod
    def yields(
        cls,
        state: Json,
        posts: tuple[Json, ...] = (),
        requests: tuple[Json, ...] = (),
        usage: Amounts | None = None,
    ) -> Self:
        """The turn is over and the item is not: it wants another turn with this state.

        Each request is `{tool, arguments}`; the next turn begins once all of them are answered.
        """
        return cls("yields", state=state, posts=posts, requests=requests, usage=usage)
