"""Every response correlated: to a request, by the one that was asked, once."""

from collections.abc import Mapping

from forge_cli.evidence.checks import Faults
from forge_cli.evidence.layout import EVENTS
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.messages import AgentMessage, correlate
from forge_cli.multiagent.plan import Json

_RESPONSE = {"done": "result", "yields": "result", "failed": "error"}


class Responses:
    """Pairs each `turn_ended` with the `turn_started` that it answers."""

    def __init__(self) -> None:
        self.faults = Faults("responses")
        self.correlated = 0
        self._open: dict[str, AgentMessage] = {}

    def check(self, event: Event, line: int) -> None:
        """Pair the event, if it is half of a pair."""
        if event.kind == "turn_started":
            role = event.body["role"].rpartition("@")[0]
            recipient = f"{role}#{event.item}"
            if event.attempt in self._open:
                self.faults.add(f"{EVENTS}:{line}: {event.attempt!r} is asked twice at once")
            self._open[event.attempt] = AgentMessage(
                event.attempt, event.attempt, "run", recipient, "request", {}
            )
        elif event.kind == "turn_ended":
            self._answer(event, event.body, line)

    def end(self, line: int) -> None:
        """Note what was asked and neither answered nor given up by a run that ended so."""
        for attempt in self._open:
            self.faults.add(f"{EVENTS}:{line}: the run ended, and {attempt!r} was never answered")

    def _answer(self, event: Event, body: Mapping[str, Json], line: int) -> None:
        request = self._open.pop(event.attempt, None)
        kind = _RESPONSE.get(body["status"], "")
        response = AgentMessage("", event.attempt, body["sender"], "run", kind, {})
        if request is None:
            self.faults.add(f"{EVENTS}:{line}: {event.attempt!r} answers no request that is open")
        elif not correlate(request, response):
            self.faults.add(
                f"{EVENTS}:{line}: {body['sender']!r} answers with a {kind or body['status']!r}, "
                f"asked was {request.recipient!r}"
            )
        else:
            self.correlated += 1
