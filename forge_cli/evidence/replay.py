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
        self._due: deque[Event] = deque()

    def expect(self, event: Event, line: int) -> None:
        """Compare a decision with the one that is due; the run has not applied it yet."""
        if event.kind not in DECIDED:
            self._left_out(event, line)
            if event.kind == "item_sealed":
                self._check_seal(event, line)
            return
        self.decided += 1
        if not self._due:
            self._decide(event.time)
        due = self._due.popleft() if self._due else None
        if due != event:
            self._due.clear()
            self.faults.add(f"{EVENTS}:{line}: {_mismatch(event, due)}")

    def _left_out(self, event: Event, line: int) -> None:
        # What the machine decides at one point is recorded before the world is heard again;
        # conditions are asked for by themselves.
        if self._due and event.kind != "condition_evaluated":
            due = _name(self._due[0])
            self._due.clear()
            self.faults.add(f"{EVENTS}:{line}: the machine decides {due} before {_name(event)}")

    def _check_seal(self, event: Event, line: int) -> None:
        asked = (c for c in self._run.decide(event.time) if isinstance(c, Seal))
        due = next((digest(c.document) for c in asked if c.item == event.item), "none")
        if event.body["digest"] != due:
            said = f"the terms of {event.item!r} have the digest {due}, not {event.body['digest']}"
            self.faults.add(f"{EVENTS}:{line}: {said}")

    def _decide(self, now: int) -> None:
        for command in self._run.decide(now):
            if isinstance(command, Assignment):
                self._due.append(command.event)
            elif isinstance(command, Event):
                self._due.append(command)


def _mismatch(event: Event, due: Event | None) -> str:
    if due is None:
        return f"{_name(event)} was recorded, the machine decides nothing here"
    if (due.kind, due.item, due.attempt) != (event.kind, event.item, event.attempt):
        return f"{_name(event)} was recorded, the machine decides {_name(due)}"
    if due.time != event.time:
        return f"{_name(event)} has another time than the machine's decision"
    key = next(k for k in sorted({*due.body, *event.body}) if _differs(due.body, event.body, k))
    return (
        f"{_name(event)} was recorded with {key} {event.body.get(key)!r:.80}, "
        f"the machine decides {due.body.get(key)!r:.80}"
    )


def _differs(due: Mapping[str, object], found: Mapping[str, object], key: str) -> bool:
    return key not in due or key not in found or due[key] != found[key]


def _name(event: Event) -> str:
    return f"{event.kind} of {event.item!r}" if event.item else event.kind
