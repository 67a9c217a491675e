"""The last word on a run: what came of it, why, what to type next, and where the evidence is."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from forge_cli.cli.board import Board, Problem, Row
from forge_cli.cli.figures import count
from forge_cli.cli.header import short_digest
from forge_cli.cli.tables import VERDICT_WIDTH, aligned, clip, hang, labelled, spread, wrap
from forge_cli.cli.tail import tail
from forge_cli.cli.terminal import Terminal, width
from forge_cli.cli.words import colour
from forge_cli.evidence.layout import RUN
from forge_cli.multiagent.node import AWAITING
from forge_cli.multiagent.plan import Json

EXIT = {"complete": 0, "failed": 1, "refused": 2, "degraded": 3, "paused": 4, "abandoned": 1}
"""Exit code of each status; a run that was stopped ends with its signal's."""

_SIGNALS = {"SIGHUP": 129, "SIGINT": 130, "SIGTERM": 143}
_MOST_REASON = 200
_TAIL = 5
_MOST_OUTPUTS = 20
_TAIL_BYTES = 4096
_MOST_NOT_UNDONE = 10
_MOST_OTHERS = 3


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a verdict needs beside the board.

    `name` is an end of the run's id that is unique here. `evidence` is the folder, as the user
    would type it, `head` root and size; both are empty where none was written. `again` is the
    command that makes a new run, where it is known. `read` gives the bytes kept under a digest.
    `where` are the words that `forge show` needs to find the run from here; `line_of` gives the
    line of the manifest that refused what was denied, 0 for none. `faults` say where the
    evidence does not hold: none, unless somebody interfered.
    """

    name: str
    evidence: str = ""
    head: str = ""
    again: str = ""
    read: Callable[[str], bytes] | None = None
    where: str = ""
    line_of: Callable[[Mapping[str, Json]], int] | None = None
    faults: Sequence[str] = ()


def exit_code(
    status: str,
    signal: str = "",
    allow_degraded: bool = False,
    allow_paused: bool = False,
    holds: bool = True,
) -> int:
    """The exit code of a run's status; see the table of exit codes.

    A run whose evidence does not hold has failed, however its items ended.
    """
    if status == "interrupted":
        return _SIGNALS.get(signal, 130)
    if not holds:
        return EXIT["failed"]
    if (status == "degraded" and allow_degraded) or (status == "paused" and allow_paused):
        return 0
    return EXIT[status]


def verdict(board: Board, terminal: Terminal, outcome: Outcome, code: int) -> list[str]:
    """The block for standard output: verdict, reasons, commands that work, evidence, head."""
    cause = _cause(board)
    if outcome.faults and board.status != "interrupted":
        told = f"the evidence does not hold; its items ended {board.status}: {_accepted(board)}"
        lines = _first(terminal, "FAILED", told, code)
    else:
        lines = _first(terminal, board.status.upper(), _sentence(board), code)
    lines += _faults(terminal, outcome)
    if cause is not None:
        lines += _tail(terminal, cause, outcome)
        lines += _not_undone(board, terminal)
        lines += _commands(board, cause, outcome)
    elif board.status in ("failed", "interrupted"):
        rows = [("look", f"forge show {outcome.name}{outcome.where}")]
        if board.status == "interrupted":
            rows.append(("go on", f"forge resume {outcome.name}{outcome.where}"))
        lines += labelled(rows)
    lines += _outputs(board, terminal, outcome)
    if outcome.evidence:
        lines.append(f"evidence  {terminal.safe(outcome.evidence)}")
    if outcome.head:
        lines.append(f"forge-evidence-head {outcome.head}")
    return lines


def _faults(terminal: Terminal, outcome: Outcome) -> Iterator[str]:
    """Where the evidence does not hold, and the command that says so again."""
    for fault in outcome.faults:
        yield from hang("  wrong   ", terminal.safe(fault))
    if outcome.faults and outcome.evidence:
        yield f"  verify  forge verify {terminal.safe(outcome.evidence)}"


def standing(board: Board, terminal: Terminal, status: str, outcome: Outcome) -> list[str]:
    """The block for a run that has not ended: `running`, or `abandoned` by its controller."""
    if status != "abandoned":
        sentence = f"{count(len(board.running), 'turn')} in flight; {_accepted(board)}"
        return _first(terminal, status.upper(), sentence, None)
    lost = f"{count(board.lost, 'turn')} {'was' if board.lost == 1 else 'were'} in flight"
    sentence = f"its controller is gone and nothing runs; {lost}; {_accepted(board)}"
    lines = _first(terminal, status.upper(), sentence, None)
    return [*lines, *labelled([("go on", f"forge resume {outcome.name}{outcome.where}")])]


def refusal(terminal: Terminal, reasons: Sequence[str]) -> list[str]:
    """The block for a run that was not started, exit code 2: every reason, the first on top."""
    first, *others = [*reasons]
    lines = _first(terminal, "REFUSED", f"{first.rstrip('.')}; nothing was started", 2)
    for reason in others:
        lines += hang("         ", terminal.safe(reason))
    return lines


def _first(terminal: Terminal, word: str, sentence: str, code: int | None) -> list[str]:
    end = "" if code is None else f"exit {code}"
    columns = VERDICT_WIDTH - width(word) - 2
    kept = wrap(terminal.safe(sentence), columns - width(end) - 2)
    first, *others = kept
    line = spread(f"  {first}", end, columns + 2).rstrip()
    head = terminal.ink(colour(word), word) + line
    return [head, *(" " * (width(word) + 2) + line for line in others)]


def _sentence(board: Board) -> str:
    accepted = _accepted(board)
    if board.status == "interrupted":
        return f"stopped by {board.signal or 'a signal'}; {accepted}"
    cause = _cause(board)
    undone = board.end.get("compensation")
    undoing = f"; compensation: {undone}" if undone else ""
    if cause is None:
        return accepted + _looked_after(board) + undoing + _run_reason(board)
    if board.status == "paused" and (withheld := board.withheld(cause.item_id)):
        return f"{_awaited(board, cause)}: '{cause.item_id}' was denied {withheld}"
    return f"{_blame(board, cause)}; {accepted}{_not_started(board, cause)}{undoing}"


def _accepted(board: Board) -> str:
    skipped = f", {board.tally['skipped']:,} skipped" if board.tally["skipped"] else ""
    return f"{board.tally['succeeded']:,} of {count(len(board.tops), 'item')} accepted{skipped}"


def _looked_after(board: Board) -> str:
    """What a run that came to its end had to be helped over."""
    denied, reissues = board.tried.denied, board.reissues
    told = [
        count(denied, "denial") if denied else "",
        count(reissues, "reissue") if reissues else "",
    ]
    return "".join(f", {each}" for each in told if each)


def _awaited(board: Board, cause: Problem) -> str:
    number = 1 + len(_others(board, cause))
    return "1 decision is awaited" if number == 1 else f"{number:,} decisions are awaited; first"


def _not_started(board: Board, cause: Problem) -> str:
    """Which other items the cause kept from starting; large runs do not remember them."""
    others = [] if board.large else [i for i in board.tops if i != cause.item_id]
    rows = ((i, board.rows.get(i, Row())) for i in others)
    fine = ("succeeded", "skipped")
    names = [i for i, row in rows if row.began is None and row.status not in fine]
    if not names:
        return ""
    if len(names) == 1:
        return f"; '{names[0]}' was not started"
    return f"; {count(len(names), 'item')} were not started"


def _run_reason(board: Board) -> str:
    reason = board.end.get("reason")
    return f"; {reason}" if reason else ""


def _cause(board: Board) -> Problem | None:
    """The problem that decided the status: the first that could have."""
    wanted = {"paused": ("paused", "indeterminate"), "failed": ("failed", "denied")}
    statuses = wanted.get(board.status, ("failed", "denied"))
    decisive = [p for p in board.problems if p.ending.status in statuses]
    required = [p for p in decisive if _required(board, p)]
    if board.status == "failed":
        return next(iter(required or decisive or board.problems), None)
    return next(iter(decisive), None) if board.status in ("paused", "degraded") else None


def _required(board: Board, problem: Problem) -> bool:
    return board.required(problem.item_id)


def _blame(board: Board, cause: Problem) -> str:
    name = f"'{cause.item_id}'"
    reason = f": {_brief(cause.ending.reason)}" if cause.ending.reason else ""
    if board.status == "paused":
        more = len(_others(board, cause))
        others = f" and {count(more, 'other')}" if more else ""
        if cause.digest:
            return f"{name}{others} {_brief(cause.ending.reason).removeprefix('it ')}"
        return f"{name}{others} stopped and waits for a person{reason}"
    required = "is required" if _required(board, cause) else "is not required"
    return f"{name} {cause.ending.status} and {required}{reason}{_too(_others(board, cause))}"


def _too(others: Sequence[Problem]) -> str:
    """That the cause is not the only one that failed."""
    if len(others) == 1:
        return f"; '{others[0].item_id}' {others[0].ending.status}, too"
    return f"; {len(others):,} others failed, too" if others else ""


def _others(board: Board, cause: Problem) -> list[Problem]:
    """What else stands open until somebody decides, or failed of itself where the cause did."""
    if board.status == "paused":
        return [p for p in board.problems if p.ending.status in AWAITING and p is not cause]
    ids = {p.item_id for p in board.problems}
    whole = {name for i in ids for name in accumulate(i.split("."), "{}.{}".format) if name != i}
    needed = _required(board, cause)
    return [
        p
        for p in board.problems
        if p.ending.status in ("failed", "denied") and p is not cause and p.item_id not in whole
        if _required(board, p) == needed
    ]


def _brief(reason: str) -> str:
    """A reason's first clause; all of it is in the event line and in `forge show`."""
    first, _, more = reason.strip().partition("\n")
    clause, semicolon, _ = first.partition("; ")
    cut = clause[_MOST_REASON:] or (more and not semicolon)
    return f"{clause[:_MOST_REASON].rstrip()} .." if cut else clause


def _tail(terminal: Terminal, cause: Problem, outcome: Outcome) -> list[str]:
    """The last lines that the failing turn wrote, those on standard error at the end."""
    if outcome.read is None:
        return []
    digests = [cause.captured.get(stream) for stream in ("stdout", "stderr")]
    texts = [outcome.read(digest)[-_TAIL_BYTES:] for digest in digests if digest]
    written = b"\n".join(texts).decode(errors="replace")
    head = f"  {cause.item_id}  │ "
    lines = tail(written, cause.ending.reason, _TAIL)
    return [clip(head + terminal.safe(line), VERDICT_WIDTH + 1) for line in lines]


def _commands(board: Board, cause: Problem, outcome: Outcome) -> list[str]:
    """What to type next, and where all that the item wrote is kept."""
    item = cause.item_id
    look = f"forge show {outcome.name} {item}{outcome.where}"
    denied = board.status == "paused" and board.withheld(item)
    what = "what it tried, and who refused" if denied else "what it was given, did and wrote"
    rows = [("look", look, what)]
    if board.status == "paused":
        rows += _decisions(board, cause, outcome)
    else:
        rows += _also(board, cause, outcome)
    if board.status != "paused" and board.not_undone():
        go_on = f"forge resume {outcome.name}{outcome.where}"
        rows.append(("go on", go_on, "undo what is left; the run stays failed"))
    kept = outcome.evidence and cause.captured
    lines = labelled(rows, "all of it" if kept else "")
    return [*lines, f"  all of it  {outcome.evidence}/items/{item}/"] if kept else lines


def _not_undone(board: Board, terminal: Terminal) -> list[str]:
    """What is to be undone and is not, newest first, with the reason."""
    left_over = board.not_undone()
    lines: list[str] = []
    for item_id, reason in left_over[:_MOST_NOT_UNDONE]:
        lines += hang(f"  not undone  {item_id}  ", terminal.safe(_brief(reason)))
    if left_over[_MOST_NOT_UNDONE:]:
        lines.append(f"  and {len(left_over) - _MOST_NOT_UNDONE} more")
    return lines


def _decisions(board: Board, cause: Problem, outcome: Outcome) -> Iterator[tuple[str, str, str]]:
    """How the run goes on, each way as it is typed."""
    resume, item = f"forge resume {outcome.name}{outcome.where}", cause.item_id
    denied = bool(board.withheld(item))
    undo = {"restore": "restored, and ", "command": "undone, and "}.get(board.undoes(item), "")
    told = "told of the denial; not wider" if denied else "told why"
    ways = {
        "approve": ("approve", f"{item}@{short_digest(cause.digest)}", "these inputs, once"),
        "rerun": ("go on", item, "once more, with the same key"),
        "reissue": ("go on", item, f"{undo}again from its start, {told}"),
        "accept": ("accept", f"{item} FILE", "it is done: its outputs, as JSON"),
        "deny": ("decline" if cause.digest else "give up", item, _given_up(board, item)),
    }
    for word in board.open_to(item):
        if word in ways:
            label, named, meaning = ways[word]
            yield label, f"{resume} --{word} {named}", meaning
        if word == "reissue" and denied:
            less = "with less: capabilities, scope or writes"
            yield "narrow", f"{resume} --reissue {item} --narrow KEY=VALUE", less
    yield from _also(board, cause, outcome)
    yield from _anew(board, cause, outcome)


def _given_up(board: Board, item: str) -> str:
    """What comes of an item that is declined, and of the run with it."""
    changed = board.tried.changed(item)
    files = "what it changed" if changed is None else f"its {count(changed, 'file')}"
    undo = {"restore": f"restore {files}", "command": "undo it"}.get(board.undoes(item))
    end = "end the run as failed" if board.required(item) else "end it as denied"
    return f"{undo or 'undo nothing'}, {end}"


def _anew(board: Board, cause: Problem, outcome: Outcome) -> Iterator[tuple[str, str, str]]:
    """How a new run is made of an edited manifest, and where to edit it."""
    if not outcome.again:
        return
    anew = f"{outcome.again} --reuse {outcome.name}"
    denial = board.node(cause.item_id).denied if board.withheld(cause.item_id) else None
    line = outcome.line_of(denial) if denial and outcome.line_of else 0
    if line:
        yield "widen", f"edit line {line}, then {anew}", "a new run that keeps what was accepted"
    else:
        yield "change", anew, "after an edit; keeps what was accepted"


def _also(board: Board, cause: Problem, outcome: Outcome) -> Iterator[tuple[str, str, str]]:
    """Where the decisions, or the failures, of the others are told."""
    look, others = f"forge show {outcome.name}", _others(board, cause)
    paused = board.status == "paused"
    for other in others[:_MOST_OTHERS]:
        why = "it waits for a decision, too" if paused else _brief(other.ending.reason)
        yield "also", f"{look} {other.item_id}{outcome.where}", why
    if more := len(others[_MOST_OTHERS:]):
        does = f"wait{'s' * (more == 1)}" if paused else "failed"
        yield "and", f"{look}{outcome.where}", f"{more:,} more {does}"


def _outputs(board: Board, terminal: Terminal, outcome: Outcome) -> list[str]:
    """The run's own outputs: at a terminal a line each for a person, else one line of JSON."""
    outputs = board.end.get("outputs") or {}
    if not outputs:
        return []
    if not terminal.live:
        whole = json.dumps(outputs, ensure_ascii=False)
        return [f"outputs  {terminal.safe(terminal.data(whole))}"]
    shown = {key: _short(value) for key, value in [*outputs.items()][:_MOST_OUTPUTS]}
    rows = [(f"  {terminal.safe(key)}", terminal.safe(text)) for key, text in shown.items()]
    lines = [clip(line, VERDICT_WIDTH + 1) for line in aligned(rows)]
    if outcome.evidence and (len(shown) < len(outputs) or any(li.endswith("..") for li in lines)):
        lines.append(f"  all of it  {terminal.safe(outcome.evidence)}/{RUN}")
    return lines


def _short(value: Json) -> str:
    """The first line of a text, JSON of anything else; at most two hundred characters."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    first, _, more = text.strip().partition("\n")
    return first[:200] + (" .." if more.strip() or first[200:] else "")
