"""G3 and G6: no finished turn runs again, and a result counts once, from whom it was asked."""

from collections.abc import Mapping
from typing import Any

from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Json, Plan
from forge_cli.multiagent.turn import Turn, TurnResult
from tests.simulation.books import DIMENSIONS
from tests.simulation.broken import hold
from tests.simulation.made import Items

UNKNOWN = frozenset({"timeout", "deadline", "cancelled"})
"""Kinds of failure after which nobody knows what was done."""


def undoes(turn: Turn) -> bool:
    """Whether the turn stands for a compensation."""
    return "/compensation-" in turn.attempt_id


class Line:
    """What is durable of the turns of one item, and what its next turn must begin with."""

    def __init__(self) -> None:
        self.attempt = 0
        self.running = ""
        self.turn = 0
        self.finished = 0
        self.saved: Json = None
        self.accepted = False
        self.held = False
        self.cancelled = ""
        self.approved = False
        self.answers: Json = []
        self.request = ""
        self.last_round = False


class Turns:
    """The lines of all items by what is durable, and the calls by what happened in the world."""

    def __init__(self, plan: Plan) -> None:
        self._items = Items(plan)
        self._lines: dict[str, Line] = {}
        self._asked: dict[tuple[str, int], str] = {}
        self._begun: set[tuple[str, int]] = set()
        self._answers: dict[tuple[str, int], TurnResult] = {}
        self._signal = ""

    def began(self, turn: Turn) -> None:
        """A call began in the world: what asks for it must be durable, and nothing forbid it."""
        call = (turn.attempt_id, turn.number)
        hold("G3", call in self._asked, f"{call} begins, and that is not durable")
        hold("G3", call not in self._begun, f"{call} begins for the second time")
        hold("G3", turn.key == self._asked[call], f"{call} begins with the key {turn.key!r}")
        self._begun.add(call)
        if undoes(turn):
            return
        line = self._line(turn.item_id)
        due = line.request or f"{turn.item_id}/turn-{turn.number}"
        hold("G3", turn.key == f"r/{due}", f"{call} has {turn.key!r}")
        hold("G3", not line.accepted, f"{turn.item_id!r} was accepted, and {call} begins")
        hold(
            "G3",
            turn.state == line.saved,
            f"{call} begins with {turn.state!r}, saved is {line.saved!r}",
        )
        hold("G3", not line.cancelled, f"{call} begins, and was cancelled")

    def answered(self, turn: Turn, result: TurnResult) -> None:
        """A call ended in the world."""
        self._answers[turn.attempt_id, turn.number] = result

    def kept(self, event: Event) -> None:
        """Follow an event that is durable."""
        self._items.note(event)
        follow = getattr(self, f"_{event.kind}", None)
        if follow is not None:
            follow(event, event.body)

    def _line(self, name: str) -> Line:
        return self._lines.setdefault(name, Line())

    def _run_resumed(self, event: Event, body: Mapping[str, Any]) -> None:
        self._signal = ""

    def _run_stopping(self, event: Event, body: Mapping[str, Any]) -> None:
        self._signal = body["signal"]

    def _turn_started(self, event: Event, body: Mapping[str, Any]) -> None:
        line, number, turn = self._line(event.item), body["number"], body["turn"]
        hold("G3", not line.running, f"{event.attempt!r} starts while {line.running!r} runs")
        hold(
            "G3",
            not line.held,
            f"nobody knows what {event.item!r} did, and {event.attempt!r} starts",
        )
        goes_on = (
            number == line.attempt and line.turn and turn == line.turn + 1 == line.finished + 1
        )
        fresh = number == line.attempt + 1 and turn == line.finished + 1
        hold(
            "G3",
            bool(goes_on or fresh),
            f"{event.attempt!r} starts with turn {turn}, {line.finished} are finished",
        )
        due = f"r/{event.item}/{number}"
        hold("G3", event.attempt == due, f"attempt {number} of {event.item!r} is {event.attempt!r}")
        if fresh and self._items.find(event.item).approval:
            hold("G1", line.approved, f"{event.attempt!r} starts, and nobody approved it")
            line.approved = False
        given = body.get("answers", [])
        again = number != line.attempt and turn > 1 and turn == line.turn
        hold("G3", not again or given == line.answers, f"{event.attempt!r} is told {given} now")
        line.answers = given
        line.attempt, line.running, line.turn, line.cancelled = number, event.attempt, turn, ""
        line.last_round = self._is_last(event.item, body.get("heard", {}))
        self._asked[event.attempt, turn] = body["key"]

    def _is_last(self, name: str, heard: Mapping[str, Any]) -> bool:
        """Whether the turn is of the last round of a joint item, behind which there is none."""
        parent = self._items.find(name).parent
        return bool(parent and heard.get("round", 0) >= self._items.find(parent).rounds)

    def _request_admitted(self, event: Event, body: Mapping[str, Any]) -> None:
        if ":" in body["role"]:
            self._line(body["child"]).request = body["request"]

    def _turn_cancelled(self, event: Event, body: Mapping[str, Any]) -> None:
        self._line(event.item).cancelled = body["kind"]

    def _turn_lost(self, event: Event, body: Mapping[str, Any]) -> None:
        line = self._line(event.item)
        hold("G3", line.running == event.attempt, f"{event.attempt!r} is lost and does not run")
        line.running = ""
        line.held = self._is_held(event.item)

    def _turn_ended(self, event: Event, body: Mapping[str, Any]) -> None:
        line = self._line(event.item)
        hold(
            "G6",
            line.running == event.attempt,
            f"{event.attempt!r} is answered, {line.running!r} runs",
        )
        self._check_answer(event, body, line)
        line.running = ""
        if body["status"] == "yields" and not line.last_round:
            line.finished, line.saved = line.turn, _saved(line.saved, body)
        elif body["status"] == "done" and body["verdict"]["accepted"]:
            line.accepted = True
        else:
            self._failed(event, body, line)

    def _check_answer(self, event: Event, body: Mapping[str, Any], line: Line) -> None:
        call = (event.attempt, line.turn)
        if call not in self._begun:
            hold("G6", body.get("kind") in UNKNOWN, f"{call} never began, and is answered")
            return
        hold("G6", call in self._answers, f"{call} is answered, and its call has not ended")
        result = self._answers.pop(call)
        same = body["status"] == result.status and (
            body.get("output") == result.output
            or body["status"] != "done"
            or not body["verdict"]["accepted"]
        )
        false = any(d not in DIMENSIONS or n < 0 for d, n in (result.usage or {}).items())
        lied = body["status"] == "failed" and false
        hold("G6", same or lied, f"{call} answered {result}, recorded is {body}")

    def _failed(self, event: Event, body: Mapping[str, Any], line: Line) -> None:
        kind = line.cancelled or body.get("kind", "invalid-output")
        failed = body["status"] == "failed"
        line.held = failed and self._is_held(event.item) and kind in UNKNOWN
        stopped = failed and kind == "cancelled" and self._signal
        if not (line.held or stopped):
            line.finished, line.saved = 0, None

    def _compensation_started(self, event: Event, body: Mapping[str, Any]) -> None:
        self._asked[event.attempt, 1] = body["key"]

    def _compensation_ended(self, event: Event, body: Mapping[str, Any]) -> None:
        result = self._answers.pop((event.attempt, 1), None)
        begun = (event.attempt, 1) in self._begun
        hold("G6", result is not None or not begun, f"{event.attempt!r} ends, and its call has not")
        if body["status"] == "done":
            done = result is not None and result.status == "done"
            hold("G9", done, f"{event.attempt!r} is done, and answered {result}")

    def _item_decided(self, event: Event, body: Mapping[str, Any]) -> None:
        line = self._line(event.item)
        # A result that was accepted and yet did not count (it conflicted) may be asked for again.
        line.held, line.accepted = False, body["decision"] == "accept"
        line.approved = body["decision"] in ("approve", "rerun")
        if body["decision"] == "reissue":
            line.finished, line.saved = 0, None

    def _is_held(self, name: str) -> bool:
        return self._items.find(name).on_crash == "hold"


def _saved(before: Json, body: Mapping[str, Any]) -> Json:
    if "added" not in body:
        return body.get("state")
    held = before if isinstance(before, list) else []
    return held[: body["added"]["keep"]] + body["added"]["add"]
