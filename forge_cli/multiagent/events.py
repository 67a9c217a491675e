"""What happened: the run's vocabulary, version 2."""

from collections.abc import Mapping
from typing import NamedTuple

from forge_cli.multiagent.terms import Json

VOCABULARY: Mapping[str, frozenset[str]] = {
    "run_started": frozenset({"run", "plan", "inputs", "env", "deadline"}),
    "condition_evaluated": frozenset({"value"}),
    "item_opened": frozenset({"elements"}),
    "turn_started": frozenset({"number", "role", "slice", "timeout", "deadline", "key", "version"}),
    "turn_cancelled": frozenset({"kind", "reason"}),
    "turn_ended": frozenset({"status", "sender", "usage"}),
    "request_admitted": frozenset({"request", "tool", "child", "role", "depth"}),
    "request_denied": frozenset({"request", "tool", "kind", "reason"}),
    "steps_inserted": frozenset({"request", "tool", "steps"}),
    "response_ignored": frozenset({"sender", "reason"}),
    "item_ended": frozenset({"status", "reason"}),
    "run_stopping": frozenset({"signal"}),
    "run_ended": frozenset({"status", "missing"}),
    "run_resumed": frozenset({"epoch"}),
    "turn_lost": frozenset({"reason"}),
    "item_sealed": frozenset({"digest"}),
    "approval_requested": frozenset({"digest", "reason"}),
    "item_paused": frozenset({"kind", "reason"}),
    "item_reused": frozenset({"run", "attempt", "output", "evidence"}),
    "item_decided": frozenset({"decision", "by"}),
    "snapshot_taken": frozenset({"snapshot", "files"}),
    "compensation_started": frozenset({"key", "deadline"}),
    "compensation_cancelled": frozenset({"reason"}),
    "compensation_refused": frozenset({"reason"}),
    "compensation_ended": frozenset({"status"}),
}
"""Each kind of event and the keys that its body must have; the world reports what is not decided.

`run_resumed` says that another controller goes on, `turn_lost` that a turn's end will never be
known, `item_sealed` what digest a contract has, `item_decided` what a person made of an item.
A `turn_ended` names its `turn` unless that is the first, and in its `denials` what was denied
meanwhile and which link of the chain refused; so does a `request_denied` of a call of a tool.
`item_paused` says that an item awaits a decision for that.
Each of the `requests` of one that yields is admitted, and then done by a `child` or as `steps`
behind the item, or denied; all of them are answered in the item's next turn.
`snapshot_taken` says what a turn that has started finds below its `writes`, `compensation_refused`
that one cannot be started. A compensation ends `done`, `failed` or, by a signal, `cancelled`.
"""

DECIDED = frozenset(
    {
        "item_opened",
        "turn_started",
        "turn_cancelled",
        "item_ended",
        "run_ended",
        "approval_requested",
        "item_paused",
        "item_reused",
        "request_admitted",
        "request_denied",
        "steps_inserted",
        "compensation_started",
        "compensation_cancelled",
        "compensation_refused",
    }
)
"""The kinds that the machine decides."""

ADDED = frozenset(
    {
        "run_resumed",
        "turn_lost",
        "item_sealed",
        "approval_requested",
        "item_paused",
        "item_reused",
        "item_decided",
        "request_admitted",
        "request_denied",
        "steps_inserted",
        "snapshot_taken",
        "compensation_started",
        "compensation_cancelled",
        "compensation_refused",
        "compensation_ended",
    }
)
"""The kinds of version 2: a log without any of them is one of version 1."""


# A named tuple, since several are made for every turn: a third of a frozen dataclass's cost.
class Event(NamedTuple):
    """One fact. `time` is in milliseconds since the epoch (UTC) and never falls within a run.

    `item` and `attempt` are empty where the event is about neither.
    """

    time: int
    kind: str
    item: str = ""
    attempt: str = ""
    body: Mapping[str, Json] = {}


def item_ended(now: int, item: str, status: str, kind: str, reason: str) -> Event:
    """The end of an item that takes no further turn; `kind` is why it did not succeed, if so."""
    body = {"status": status, "reason": reason}
    if kind:
        body["kind"] = kind
    return Event(now, "item_ended", item, body=body)
