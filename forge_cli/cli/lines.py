"""The lines of a run's progress: what one event says to a person, `time item WORD detail`."""

import json
from collections.abc import Mapping

from forge_cli.cli.board import Board
from forge_cli.cli.figures import count, duration, elapsed, granted, measured, size
from forge_cli.cli.tables import hang, left, right, spread, width
from forge_cli.cli.terminal import Terminal
from forge_cli.cli.words import LOUD, WORDS, colour, tally
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Item, Json

_MOST_LOUD = 50
_COST_COLUMN = 93
_MOST_DETAIL = 4


class Lines:
    """Turns events into lines; ask for an event's lines before the board has folded it in.

    In a large run only what did not go well has a line, and of that the first fifty. Elements and
    sub-tasks have lines only then, too: they share one row of the table. An inline item has no
    `started` line at its first attempt: it would say nothing but its name.
    """

    def __init__(self, board: Board, terminal: Terminal) -> None:
        self._board = board
        self._terminal = terminal
        self._loud = 0
        names = [] if board.large else [width(item_id) for item_id in board.plan.items]
        self._item_columns = min(max([8, *names]), 24)

    def of(self, event: Event) -> list[str]:
        """The lines that the event is worth: none, one, or a few with a hanging detail."""
        if event.kind == "turn_started":
            return self._turn_started(event)
        if event.kind == "turn_ended":
            return self._turn_ended(event)
        if event.kind == "item_ended":
            return self._item_ended(event)
        if event.kind == "run_stopping":
            text = f"{event.body['signal']}: no new turns; running ones are cancelled"
            return self.line(event.time, "run", "stopping", text)
        if event.kind == "response_ignored":
            text = f"a response of {event.body['sender']}: {event.body['reason']}"
            return self.line(event.time, event.item, "ignored", text)
        return []

    def line(self, time: int, item: str, word: str, detail: str, end: str = "") -> list[str]:
        """One line at a time (milliseconds since the epoch), with `end` at its right."""
        stamp = right(elapsed(time - self._board.started), 6)
        columns = self._item_columns
        name, said = left(item, columns), left(word, 9)
        head = f"{stamp}  {name}  {said}  "
        safe = "\n".join(map(self._terminal.safe, detail.split("\n")))
        lines = hang(head, safe, most=_MOST_DETAIL)
        if end:
            lines = _with_end(lines, end)
        ink = self._terminal.ink
        inked = f"{stamp}  {ink('bold', name)}  {ink(colour(word), said)}  "
        return [inked + lines[0][len(head) :], *lines[1:]]

    def _turn_started(self, event: Event) -> list[str]:
        board = self._board
        if board.large or "." in event.item:
            return []
        item = board.plan.items[event.item]
        inline = item.role_id.startswith("inline:")
        row = board.rows.get(event.item)
        attempt = 1 if row is None else row.attempts + 1
        if attempt == 1 and inline:
            return []
        who = "" if inline else f"{item.role_id}@{event.body['version']}"
        if attempt > 1:
            detail = ", ".join(filter(None, [f"attempt {attempt}", who]))
        else:
            detail = f"{who} may: {', '.join(sorted(item.grant.capabilities)) or 'nothing'}"
            detail += self._reserved(item)
        return self.line(event.time, event.item, "started", detail)

    def _reserved(self, item: Item) -> str:
        """What an item with a budget takes off the run's, and what that leaves."""
        total = self._board.plan.budget.cost_usd
        own = None if item.budget is None else item.budget.cost_usd
        if total is None or own is None:
            return ""
        free = self._board.free_cost(total) - own
        return f"\n{granted(own)} reserved for it, {measured(free)} left for the others"

    def _turn_ended(self, event: Event) -> list[str]:
        board, item = self._board, self._board.plan.items.get(event.item)
        row = board.rows.get(event.item)
        if board.large or item is None or row is None or item.retry is None:
            return []
        reason = _failure(event.body)
        kind = event.body.get("kind") or "invalid-output"
        if not reason or row.attempts >= item.retry.max_attempts or kind not in item.retry.on:
            return []
        following = f"attempt {row.attempts + 1} of {item.retry.max_attempts}"
        pause = item.retry.pause(row.attempts)
        when = f" in {duration(pause)}" if pause else ""
        return self.line(event.time, event.item, "retried", f"{reason}; {following}{when}")

    def _item_ended(self, event: Event) -> list[str]:
        board = self._board
        status: str = event.body["status"]
        nested = "." in event.item
        if (board.large or nested) and status not in LOUD:
            return []
        if status in LOUD and self._too_many():
            return self._no_more(event)
        last = board.last.get(event.item, {})
        end = ""
        if status == "succeeded":
            detail = self._accepted(event, last)
            end = self._spent(event.item)
        else:
            detail = self._reason(event, last)
        word = WORDS.get(status, status)
        return self.line(event.time, event.item, word, detail, end)

    def _too_many(self) -> bool:
        self._loud += 1
        return self._loud > _MOST_LOUD

    def _no_more(self, event: Event) -> list[str]:
        if self._loud > _MOST_LOUD + 1:
            return []
        return self.line(event.time, "run", "running", "further failures are not listed here")

    def _accepted(self, event: Event, last: Mapping[str, Json]) -> str:
        item = self._board.plan.items[event.item]
        row = self._board.rows.get(event.item)
        if self._board.is_group(item):
            return tally({} if row is None or row.children is None else row.children)
        output = last.get("output") or {}
        octets = sum(map(_octets, output.values()))
        text = f"{', '.join(output)}, {size(octets)}"
        if not octets and self._is_command(item):
            text = "exit status 0"
        return f"{item.completion} holds; {text}" if item.completion else text

    def _spent(self, item_id: str) -> str:
        row = self._board.rows.get(item_id)
        if row is None or not (row.calls or row.cost):
            return ""
        return f"{count(row.calls, 'call')}  {measured(row.cost)}"

    def _reason(self, event: Event, last: Mapping[str, Json]) -> str:
        reason = event.body.get("reason") or _failure(last)
        item = self._board.plan.items.get(event.item)
        failed = last.get("status") == "failed" and item is not None and self._is_command(item)
        if failed and event.body["status"] == "failed" and not last.get("captured"):
            return f"{reason}; it wrote nothing"
        return reason

    def _is_command(self, item: Item) -> bool:
        role = self._board.plan.roles.get(item.role_id)
        return role is not None and role.handler.kind == "command"


def _failure(body: Mapping[str, Json]) -> str:
    """Why a turn did not get its item accepted, or nothing if it did."""
    if body.get("status") == "failed":
        return body.get("message") or body.get("kind") or "failed"
    verdict = body.get("verdict") or {}
    return "" if verdict.get("accepted", True) else verdict.get("reason") or "not accepted"


def _octets(value: Json) -> int:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return len(text.encode(errors="surrogatepass"))


def _with_end(lines: list[str], end: str) -> list[str]:
    if width(lines[-1]) + 2 + width(end) > _COST_COLUMN:
        return [*lines, right(end, _COST_COLUMN)]
    return [*lines[:-1], spread(lines[-1], end, _COST_COLUMN)]
