"""The lines of a run's progress: what one event says to a person, `time item WORD detail`."""

import json
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

from forge_cli.app.links import line_of
from forge_cli.cli.board import Board
from forge_cli.cli.figures import count, duration, elapsed, granted, measured, size
from forge_cli.cli.header import short_digest
from forge_cli.cli.tables import WIDTH, clip, hang, left, right, spread
from forge_cli.cli.terminal import Terminal, width
from forge_cli.cli.undoing import QUIET, undoing
from forge_cli.cli.unheard import unheard
from forge_cli.cli.words import DECIDED, LOUD, WORDS, colour, tally
from forge_cli.multiagent import denials
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Item, Json

_MOST_LOUD = 50
_COST_COLUMN = 93
_MOST_DETAIL, _MOST_DENIAL = 4, 8
_MOST_GIVEN, _MOST_READ = 80, 4096
_COUNTED = (("attempt", "number"), ("turn", "turn"))


class Lines:
    """Turns events into lines; ask for an event's lines before the board has folded it in.

    In a large run only what did not go well has a line, and of that the first fifty. Elements and
    sub-tasks have lines only then, too: they share one row of the table. An inline item has no
    `started` line at its first attempt: it would say nothing but its name. With `verbose` each
    turn of any run has its lines, and what it was given is told. `refused` has the line of the
    `manifest` for which an item was last denied something, where there is one.
    """

    def __init__(
        self, board: Board, terminal: Terminal, verbose: bool = False, manifest: str = ""
    ) -> None:
        self.refused: dict[str, int] = {}
        self._board = board
        self._manifest = manifest
        self._terminal = terminal
        self._verbose = verbose
        self._brief = board.large and not verbose
        self._loud = 0
        items = () if self._brief else board.plan.items.values()
        names = [width(item.item_id) + _suffix(item) for item in items]
        self._item_columns = min(max([8, *names]), 24)

    def of(self, event: Event) -> list[str]:
        """The lines that the event is worth: none, one, or a few with a hanging detail."""
        if event.kind == "turn_started":
            return self._turn_started(event)
        if event.kind in ("turn_ended", "item_ended", "turn_lost", "item_reused"):
            denied = self._denied(event)
            # That line says all of a call of a tool, which is told under the name of who asked.
            said = denied and self._board.asker(event.item) != event.item
            return denied if said else [*denied, *self._ended(event), *self._unheard(event)]
        if event.kind == "item_paused":
            stopped = f"branch stopped; {self._kept(event)}"
            return self.line(event.time, event.item, "paused", stopped)
        if event.kind == "request_denied":
            return self._denied(event) or self._unheard(event)
        if event.kind in ("approval_requested", "item_decided"):
            return self._of_a_person(event)
        if event.kind.startswith("compensation_"):
            return self._of_undoing(event)
        if event.kind == "run_resumed":
            return self.line(
                event.time, "run", "resumed", f"controller epoch {event.body['epoch']}"
            )
        if event.kind == "run_stopping":
            text = f"{event.body['signal']}: no new turns; running ones are cancelled"
            return self.line(event.time, "run", "stopping", text)
        if event.kind == "response_ignored":
            text = f"a response of {event.body['sender']}: {event.body['reason']}"
            return self.line(event.time, event.item, "ignored", text)
        return []

    def line(
        self,
        time: int,
        item: str,
        word: str,
        detail: str,
        end: str = "",
        most: int = _MOST_DETAIL,
    ) -> list[str]:
        """One line at a time (milliseconds since the epoch), with `end` at its right."""
        stamp = right(elapsed(time - self._board.started), 6)
        columns = self._item_columns
        name, said = left(item, columns), left(word, 9)
        head = f"{stamp}  {name}  {said}  "
        safe = "\n".join(map(self._terminal.safe, detail.split("\n")))
        lines = hang(head, safe, most=most)
        if end:
            lines = _with_end(lines, end)
        ink = self._terminal.ink
        inked = f"{stamp}  {ink('bold', name)}  {ink(colour(word), said)}  "
        return [inked + lines[0][len(head) :], *lines[1:]]

    def _turn_started(self, event: Event) -> list[str]:
        if self._verbose:
            return self.line(event.time, event.item, "started", self._told(event))
        board = self._board
        if board.large or "." in event.item or event.body["turn"] > 1:
            return []
        item = board.plan.items[event.item]
        attempt = event.body["number"]
        who = "" if item.role_id.startswith("inline:") else event.body["role"]
        if attempt > 1:
            detail = ", ".join(filter(None, [f"attempt {attempt}", who]))
        elif who:
            detail = f"{who} may: {_may(item)}{self._reserved(item)}"
        else:
            return []
        return self.line(event.time, event.item, "started", detail)

    def _told(self, event: Event) -> str:
        """All about a turn that starts: which it is, who may do what in it, what it is given."""
        item, body = self._board.item(event.item), event.body
        inline = item.role_id.startswith("inline:")
        parts = [f"{word} {body[key]}" for word, key in _COUNTED if body[key] > 1]
        parts.append(f"{'its own program' if inline else body['role']} may: {_may(item)}")
        first = body["number"] == body["turn"] == 1 and "." not in event.item
        reserved = self._reserved(item) if first else ""
        given = ", ".join(f"{key}: {_short(value)}" for key, value in _given(body))
        return ", ".join(parts) + reserved + (f"\ngiven {given}" if given else "")

    def _reserved(self, item: Item) -> str:
        """What an item with a budget takes off the run's, and what that leaves."""
        total = self._board.plan.budget.cost_usd
        own = None if item.budget is None else item.budget.cost_usd
        if total is None or own is None:
            return ""
        free = self._board.free_cost(total) - own
        return f"\n{granted(own)} reserved for it, {measured(free)} left for the others"

    def _denied(self, event: Event) -> list[str]:
        """What was denied: what pauses an item, and with `verbose` what was only answered."""
        item = self._board.asker(event.item) if event.item else ""
        pausing = self._board.node(item).denied if item else None
        told = [
            (number, each)
            for number, each in self._board.tried.numbered(event)
            if self._verbose or each["action"] not in denials.ANSWERED or each == pausing
        ]
        if not told or self._too_many():
            return []
        lines: list[str] = []
        for number, each in told:
            what, _, why = each["reason"].partition(" is denied: ")
            detail = "\n".join(filter(None, [what, why, f"refused by {denials.refuser(each)}"]))
            if self._manifest and (place := line_of(Path(self._manifest), each)):
                self.refused[item] = place
                detail += f"  ({self._manifest}:{place})"
            detail += f"\nnothing was changed; call {number} of this attempt"
            lines += self.line(event.time, item, "DENIED", detail, most=_MOST_DENIAL)
        return lines

    def _kept(self, event: Event) -> str:
        """What becomes of what an item has changed that pauses for a denial."""
        changed = self._board.tried.changed(event.item)
        if changed is None:
            return "what it changed is kept as it is"
        if not changed:
            return "it has changed nothing"
        return f"{count(changed, 'changed file')} kept as {'it is' if changed == 1 else 'they are'}"

    def _ended(self, event: Event) -> list[str]:
        ending = self._board.ending(event)
        if ending is None and event.kind == "turn_lost":
            return self.line(event.time, event.item, "lost", f"{event.body['reason']}; once more")
        if ending is None:
            return self._retried(event)
        status = ending.status
        quiet = self._board.large or "." in event.item
        if quiet and status not in LOUD and not self._verbose:
            return []
        if status in LOUD and not self._verbose and self._too_many():
            return self._no_more(event)
        end = ""
        if status == "succeeded":
            detail, end = self._accepted(event), self._spent(event)
        else:
            detail = ending.reason
        return self.line(event.time, event.item, WORDS.get(status, status), detail, end)

    def _unheard(self, event: Event) -> list[str]:
        """What it asked for or posted and was refused, which it is told."""
        lines: list[str] = []
        for each in unheard(self._board.node(event.item), event):
            if self._too_many():
                return [*lines, *self._no_more(event)]
            lines += self.line(event.time, event.item, "refused", each)
        return lines

    def _of_a_person(self, event: Event) -> list[str]:
        """What a person is asked for, or has decided."""
        body = event.body
        if event.kind == "approval_requested":
            if self._too_many():
                return self._no_more(event)
            detail = f"{body['reason']}, digest {short_digest(body['digest'])}"
            return self.line(event.time, event.item, "paused", detail)
        return self.line(event.time, event.item, DECIDED[body["decision"]], f"by {body['by']}")

    def _of_undoing(self, event: Event) -> list[str]:
        """What of an item was undone, or was not."""
        told = undoing(event, self._board.item(event.item))
        if told is None or (told[0] in QUIET and self._brief):
            return []
        return self.line(event.time, event.item, *told)

    def _retried(self, event: Event) -> list[str]:
        """What went wrong with an attempt that another follows."""
        item = self._board.plan.items.get(event.item)
        if self._brief or item is None or item.retry is None or event.kind == "item_ended":
            return []
        reason = _failure(event.body)
        if not reason or event.body.get("kind", "invalid-output") not in item.retry.on:
            return []
        row = self._board.row(event.item)
        pause = item.retry.pause(row.attempts)
        when = f" in {duration(pause)}" if pause else ""
        detail = f"{reason}; attempt {row.attempts + 1} of {item.retry.max_attempts}{when}"
        return self.line(event.time, event.item, "retried", detail)

    def _too_many(self) -> bool:
        self._loud += 1
        return self._loud > _MOST_LOUD

    def _no_more(self, event: Event) -> list[str]:
        if self._loud > _MOST_LOUD + 1:
            return []
        return self.line(event.time, "run", "running", "further failures are not listed here")

    def _accepted(self, event: Event) -> str:
        item = self._board.item(event.item)
        row = self._board.row(event.item)
        if "." not in event.item and self._board.is_group(item):
            return tally(row.children or {}) or "no elements"
        output = self._board.output(event)
        octets = sum(map(_octets, output.values()))
        text = f"{', '.join(output)}, {size(octets)}"
        if event.kind == "item_reused":
            return f"{text}; taken over from run {event.body['run']}"
        if not octets and self._is_command(item):
            text = "exit status 0"
        return f"{item.completion} holds; {text}" if item.completion else text

    def _spent(self, event: Event) -> str:
        """What the item has used, with the turn that ends now; its parts are told with it."""
        if "." in event.item:
            return ""
        calls, cost = self._board.spent(event)
        return f"{count(calls, 'call')}  {measured(cost)}" if calls or cost else ""

    def _is_command(self, item: Item) -> bool:
        role = self._board.plan.roles.get(item.role_id)
        return role is not None and role.handler.kind == "command"


def _suffix(item: Item) -> int:
    """The columns that `.0` takes behind the name of an item with elements."""
    if item.for_each is None:
        return 0
    return 1 + len(str(len(item.for_each) - 1)) if isinstance(item.for_each, list) else 2


def _may(item: Item) -> str:
    return ", ".join(sorted(item.grant.capabilities)) or "nothing"


def _given(body: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    """The inputs of a turn that starts, and its arguments where references were filled in."""
    yield from (body.get("inputs") or {}).items()
    if "argv" in body.get("handler", {}):
        yield "argv", shlex.join(body["handler"]["argv"])


def _short(value: Json) -> str:
    """As much of a value as says which one it is."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return clip(" ".join(text[:_MOST_READ].split()), _MOST_GIVEN)


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
    needed = width(lines[-1]) + 2 + width(end)
    if needed > WIDTH:
        return [*lines, right(end, _COST_COLUMN)]
    return [*lines[:-1], spread(lines[-1], end, max(needed, _COST_COLUMN))]
