"""What undid items: a row for each start of a compensation, and what is left to undo."""

from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.times import to_text

_KEPT = ("status", "message", "changed", "captured")


class Compensations:
    """Rows for `run.json`, in the order in which they were started.

    One that was lost with its controller has no end: the one that was started again has its key.
    """

    def __init__(self) -> None:
        self.rows: list[dict[str, Json]] = []

    def add(self, event: Event) -> None:
        """Note what the event says of them, if it does."""
        body, time = event.body, to_text(event.time)
        if event.kind == "compensation_started":
            row = {"attempt": event.attempt, "key": body["key"], "started": time}
            self.rows.append({"item": event.item, **row})
        elif event.kind == "compensation_cancelled":
            self.rows[-1]["cancelled"] = body["reason"]
        elif event.kind == "compensation_ended":
            kept = {key: body[key] for key in _KEPT if key in body}
            self.rows[-1] |= {"ended": time, **kept}
        elif event.kind == "compensation_refused":
            end = {"ended": time, "status": "failed", "message": body["reason"]}
            self.rows.append({"item": event.item, "started": time, **end})
