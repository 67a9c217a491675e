"""What happened: the run's vocabulary, version 1."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from forge_cli.multiagent.terms import Json

VOCABULARY_VERSION = 1

VOCABULARY: Mapping[str, frozenset[str]] = {
    "run_started": frozenset({"run", "plan", "inputs", "env", "deadline"}),
    "condition_evaluated": frozenset({"value"}),
    "item_opened": frozenset({"elements"}),
    "turn_started": frozenset({"number", "role", "slice", "timeout", "deadline", "key", "version"}),
    "turn_cancelled": frozenset({"kind", "reason"}),
    "turn_ended": frozenset({"status", "sender", "usage"}),
    "response_ignored": frozenset({"sender", "reason"}),
    "item_ended": frozenset({"status", "reason"}),
    "run_stopping": frozenset({"signal"}),
    "run_ended": frozenset({"status", "missing"}),
}
"""Each kind of event and the keys that its body must have.

The machine decides `item_opened`, `turn_started`, `turn_cancelled`, `item_ended` and `run_ended`;
the world reports the others.
"""

DECIDED = frozenset({"item_opened", "turn_started", "turn_cancelled", "item_ended", "run_ended"})


@dataclass(frozen=True, slots=True)
class Event:
    """One fact. `time` is in milliseconds since the epoch (UTC) and never falls within a run.

    `item` and `attempt` are empty where the event is about neither.
    """

    time: int
    kind: str
    item: str = ""
    attempt: str = ""
    body: Mapping[str, Json] = field(default_factory=dict)


def item_ended(now: int, item: str, status: str, kind: str, reason: str) -> Event:
    """The end of an item that takes no further turn; `kind` is why it did not succeed, if so."""
    body = {"status": status, "reason": reason}
    if kind:
        body["kind"] = kind
    return Event(now, "item_ended", item, body=body)
