"""Judging again what was accepted and rejected, where the bodies are there."""

from forge_cli.evidence.checks import Faults
from forge_cli.evidence.layout import EVENTS
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.ports import Judge
from forge_cli.multiagent.turn import Turn, TurnResult


class Acceptance:
    """Holds each recorded verdict against what the judge says of the same result."""

    def __init__(self, judge: Judge) -> None:
        self.faults = Faults("acceptance")
        self.judged = 0
        self._judge = judge

    def check(self, event: Event, turn: Turn, line: int) -> None:
        """Judge the answer of a `turn_ended` again."""
        body = event.body
        recorded = body.get("verdict")
        if body["status"] != "done" or recorded is None:
            return
        self.judged += 1
        result = TurnResult.done(body["output"], (recorded.get("evidence") or {}))
        verdict = self._judge.judge(turn, result)
        if verdict.accepted != recorded["accepted"]:
            word = "accepted" if recorded["accepted"] else "rejected"
            self.faults.add(
                f"{EVENTS}:{line}: the result of {event.item!r} was {word}; judged again: "
                f"{verdict.reason or 'it is acceptable'}"
            )
