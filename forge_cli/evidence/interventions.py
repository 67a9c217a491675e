"""What came from outside a run while it went on: controllers that took over, and decisions."""

from collections.abc import Mapping

from forge_cli.multiagent.events import ADDED, Event
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.times import to_text


class Interventions:
    """Rows for `run.json`. `version` is that of the vocabulary which the events need."""

    def __init__(self) -> None:
        self.version = 1
        self.controllers: list[Json] = []
        self.approvals: list[Json] = []
        self.decisions: list[Json] = []
        self._reused: dict[str, Json] = {}

    def add(self, event: Event) -> None:
        """Note what the event says of them, if it does."""
        if event.kind not in ADDED:
            return
        self.version = 2
        body, time = event.body, to_text(event.time)
        if event.kind == "run_resumed":
            self.controllers.append({"epoch": body["epoch"], "since": time})
        elif event.kind == "approval_requested":
            row = {"item": event.item, "digest": body["digest"], "requested": time}
            self.approvals.append(row)
        elif event.kind == "item_decided":
            self._decide(event.item, body, time)
        elif event.kind == "item_reused":
            self._reused[event.item] = {"run": body["run"], "attempt": body["attempt"]}

    def reused(self, item: str) -> Json:
        """Run and attempt that an item's result was taken over from, or None."""
        return self._reused.get(item)

    def _decide(self, item: str, body: Mapping[str, Json], time: str) -> None:
        given = {"decision": body["decision"], "by": body["by"], "time": time}
        more = {key: body[key] for key in ("digest", "narrow") if key in body}
        self.decisions.append({"item": item, **given, **more})
        asked = (row for row in reversed(self.approvals) if row["item"] == item)
        if body["decision"] in ("approve", "deny"):
            for row in asked:
                row.setdefault("answer", given)
                return
