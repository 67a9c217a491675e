"""The attempts of a run, turn by turn: what was asked, what came back, what the engine said."""

from collections.abc import Mapping

from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.times import to_text


class Attempts:
    """Rows for `run.json`, one for each turn, under the item that it was for.

    The attempt's id is the correlation id of request and response; `sender` is the channel by which
    the response came.
    """

    def __init__(self) -> None:
        self._rows: dict[str, list[dict[str, Json]]] = {}
        self._open: dict[str, dict[str, Json]] = {}
        self.correlated = self.lost = 0

    def add(self, event: Event) -> None:
        """Note what the event says of a turn, if it does."""
        if event.kind == "turn_started":
            self._start(event)
        elif event.kind == "turn_cancelled":
            self._open[event.attempt]["cancelled"] = event.body["reason"]
        elif event.kind == "turn_ended":
            self._end(event)
        elif event.kind == "turn_lost":
            row = self._open.pop(event.attempt)
            row |= {"ended": to_text(event.time), "lost": event.body["reason"]}
            self.lost += 1

    def of(self, item: str) -> list[dict[str, Json]]:
        """The turns of an item, in order."""
        return self._rows.get(item, [])

    def unanswered(self) -> list[str]:
        """The attempts whose turn has not ended."""
        return list(self._open)

    def _start(self, event: Event) -> None:
        body = event.body
        row: dict[str, Json] = {
            "attempt": event.attempt,
            "turn": body["turn"],
            "started": to_text(event.time),
            "read_version": body["version"],
        }
        if body["slice"]:
            row["slice"] = body["slice"]
        if "heard" in body:
            row["heard"] = body["heard"]
        self._rows.setdefault(event.item, []).append(row)
        self._open[event.attempt] = row

    def _end(self, event: Event) -> None:
        row, body = self._open.pop(event.attempt), event.body
        self.correlated += 1
        row["ended"] = to_text(event.time)
        row["sender"] = body["sender"]
        row["answer"] = body["status"]
        row |= {key: body[key] for key in _KEPT if body.get(key)}
        verdict: Mapping[str, Json] | None = body.get("verdict")
        if verdict is not None:
            row["accepted"] = verdict["accepted"]
            row |= {key: verdict[key] for key in ("reason", "evidence") if verdict.get(key)}


_KEPT = ("kind", "message", "usage", "captured")
