"""Every response correlated: to a request, by the one that was asked, once."""

from forge_cli.evidence.checks import Faults
from forge_cli.evidence.layout import EVENTS
from forge_cli.multiagent.events import Event

STATUSES = frozenset({"done", "failed", "yields"})
"""What an answer can be; everything else answers nothing."""


class Responses:
    """Pairs each `turn_ended` with the `turn_started` that it answers; what is lost has no answer.

    The rule is that of `messages.correlate`, stated anew on the events: the attempt is the
    correlation id, the one that was asked is the role of the turn at its item.
    """

    def __init__(self) -> None:
        self.faults = Faults("responses")
        self.correlated = 0
        self._asked: dict[str, tuple[str, int]] = {}

    def check(self, event: Event, line: int) -> None:
        """Pair the event, if it is half of a pair."""
        if event.kind == "turn_started":
            if event.attempt in self._asked:
                self.faults.add(f"{EVENTS}:{line}: {event.attempt!r} is asked twice at once")
            role = event.body["role"].rpartition("@")[0]
            self._asked[event.attempt] = f"{role}#{event.item}", event.body.get("turn", 1)
        elif event.kind == "turn_ended":
            self._answer(event, line)
        elif event.kind == "turn_lost" and self._asked.pop(event.attempt, None) is None:
            self.faults.add(f"{EVENTS}:{line}: {event.attempt!r} is lost and was not asked")

    def end(self, line: int) -> None:
        """Note what was asked and never answered by the end of the run."""
        for attempt in self._asked:
            self.faults.add(f"{EVENTS}:{line}: the run ended, and {attempt!r} was never answered")

    def _answer(self, event: Event, line: int) -> None:
        asked, turn = self._asked.pop(event.attempt, ("", 0))
        sender, status = event.body["sender"], event.body["status"]
        answers = event.body.get("turn", 1)
        if not asked:
            self.faults.add(f"{EVENTS}:{line}: {event.attempt!r} answers no request that is open")
        elif sender != asked or status not in STATUSES:
            self.faults.add(f"{EVENTS}:{line}: {sender!r} answers {status!r}, asked was {asked!r}")
        elif answers != turn:
            self.faults.add(
                f"{EVENTS}:{line}: {event.attempt!r} answers turn {answers}, not {turn}"
            )
        else:
            self.correlated += 1
