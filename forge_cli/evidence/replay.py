"""Replaying a log: the machine, given the same events, must have decided the same."""

from collections import deque
from collections.abc import Mapping

from forge_cli.canonical import digest
from forge_cli.evidence.checks import Faults
from forge_cli.evidence.layout import EVENTS
from forge_cli.multiagent.assignment import Assignment
from forge_cli.multiagent.events import DECIDED, Event
from forge_cli.multiagent.run import Run
from forge_cli.multiagent.sealing import Seal


class Replay:
    """Holds each decision of a log against what the machine decides at that point."""

    def __init__(self, run: Run) -> None:
        self.faults = Faults("decisions")
        self.decided = 0
        self._run = run
        self._due: deque[Event | Seal] = deque()

    def expect(self, event: Event, line: int) -> None:
        """Compare a decision with the one that is due; the run has not applied it yet."""
        if event.kind not in DECIDED and event.kind != "item_sealed":
            self._left_out(event, line)
            return
        self.decided += event.kind in DECIDED
        if not self._due:
            self._decide(event.time)
        due = self._due.popleft() if self._due else None
        found = _sealing(event, due) if event.kind == "item_sealed" else _mismatch(event, due)
        if found:
            self._due.clear()
            self.faults.add(f"{EVENTS}:{line}: {found}")

    def _left_out(self, event: Event, line: int) -> None:
        # What the machine decides at one point is recorded before the world is heard again;
        # conditions are asked for by themselves.
        if self._due and event.kind != "condition_evaluated":
            due = _named(self._due[0])
            self._due.clear()
            self.faults.add(f"{EVENTS}:{line}: the machine decides {due} before {_name(event)}")

    def _decide(self, now: int) -> None:
        for command in self._run.decide(now):
            if isinstance(command, Assignment):
                self._due.append(command.event)
            elif isinstance(command, Event | Seal):
                self._due.append(command)


def _sealing(event: Event, due: Event | Seal | None) -> str:
    """What is wrong with a digest of terms, or nothing."""
    awaited = "none"
    if isinstance(due, Seal) and due.item == event.item:
        awaited = digest(due.document)
    if event.body["digest"] == awaited:
        return ""
    return f"the terms of {event.item!r} have the digest {awaited}, not {event.body['digest']}"


def _mismatch(event: Event, due: Event | Seal | None) -> str:
    """How a decision differs from the one that is due, or nothing."""
    if due == event:
        return ""
    if due is None:
        return f"{_name(event)} was recorded, the machine decides nothing here"
    if isinstance(due, Seal) or due[1:4] != event[1:4]:
        return f"{_name(event)} was recorded, the machine decides {_named(due)}"
    if due.time != event.time:
        return f"{_name(event)} has another time than the machine's decision"
    key = next(k for k in sorted({*due.body, *event.body}) if _differs(due.body, event.body, k))
    return (
        f"{_name(event)} was recorded with {key} {event.body.get(key)!r:.80}, "
        f"the machine decides {due.body.get(key)!r:.80}"
    )


def _differs(due: Mapping[str, object], found: Mapping[str, object], key: str) -> bool:
    return key not in due or key not in found or due[key] != found[key]


def _named(due: Event | Seal) -> str:
    return f"the terms of {due.item!r}" if isinstance(due, Seal) else _name(due)


def _name(event: Event) -> str:
    return f"{event.kind} of {event.item!r}" if event.item else event.kind
