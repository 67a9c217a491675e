"""The table of a run: a row for each item, what it did, what it cost and how long it took."""

from dataclasses import dataclass

from forge_cli.cli.board import Board, Row
from forge_cli.cli.figures import elapsed, granted, measured
from forge_cli.cli.states import state_of, who
from forge_cli.cli.tables import bar, clip, left, right, rule, share
from forge_cli.cli.terminal import Terminal, width
from forge_cli.cli.words import PROBLEMS, colour, tally
from forge_cli.multiagent.plan import Item

_WIDTH = 100
_STATE = 19
_GROUP_STATE = 43


@dataclass(frozen=True, slots=True)
class _Layout:
    """How wide each column is; a column of no width is left out.

    With a `for_each` or sub-tasks in the table, attempts give way to what their state has to say;
    where nothing costs money, the money's columns do.
    """

    item: int
    role: int
    state: int
    attempt: int
    calls: int
    cost: int
    bar: int
    time: int

    @property
    def columns(self) -> int:
        """The whole table's width, its blank first column included."""
        lengths = (self.attempt, self.calls, self.cost, self.bar, self.time)
        return 1 + self.item + 2 + self.role + 2 + self.state + sum(lengths)


def overview(board: Board, terminal: Terminal, now: int, most: int | None = None) -> list[str]:
    """The table as it stands `now` (milliseconds since the epoch), with at most `most` items.

    Where there are more, what runs and what went wrong is shown before what waits, and what waits
    before what was accepted; one line says what is left out.
    """
    items = _chosen(board, most)
    layout = _layout(board, items)
    lines = [_titles(layout), rule(layout.columns)]
    for item in items:
        lines.append(_row(board, terminal, layout, item, now))
        lines.extend(_below(board, terminal, item, now))
    lines.extend(_left_out(board, items))
    lines.append(rule(layout.columns))
    lines.append(_total(board, terminal, layout, now))
    return lines


def _chosen(board: Board, most: int | None) -> list[Item]:
    plan = board.plan
    if board.large:
        return [
            plan.items[i] for i in _ranked(board, list(board.rows))[: 20 if most is None else most]
        ]
    if most is None or len(board.tops) <= most:
        return [plan.items[i] for i in board.tops]
    kept = set(_ranked(board, board.tops)[:most])
    return [plan.items[i] for i in board.tops if i in kept]


def _ranked(board: Board, item_ids: list[str]) -> list[str]:
    ranks = {"running": 0, "waiting": 2, "skipped": 3, "succeeded": 4}
    return sorted(item_ids, key=lambda i: ranks.get(board.status_of(i), 1))


def _layout(board: Board, items: list[Item]) -> _Layout:
    item = max([8, *(width(i.item_id) for i in items)])
    role = max([10, *(width(who(i)) for i in items)])
    if any(board.is_group(i) for i in items):
        rest = {"attempt": 0, "bar": 10, "calls": 7, "cost": 11, "time": 6}
        state = _GROUP_STATE
    else:
        metered = board.cost or board.plan.budget.cost_usd is not None
        money = {"cost": 20, "bar": 10} if metered else {"cost": 0, "bar": 0}
        rest = {"attempt": 7, "calls": 10, **money, "time": 7}
        state = max([_STATE, *(2 + width(state_of(board, i)) for i in items)])
    names = share(_WIDTH - 5 - sum(rest.values()), [item, role, state])
    return _Layout(*names, **rest)


def _titles(layout: _Layout) -> str:
    return _grid(layout, "item", "role", "state", ("attempt", "calls", "cost", "", "time"))


def _row(board: Board, terminal: Terminal, layout: _Layout, item: Item, now: int) -> str:
    row = board.rows.get(item.item_id) or Row()
    began = row.began is not None
    limit = None if item.budget is None else item.budget.cost_usd
    meter = bar(row.cost, limit) if began and limit else ""
    if board.is_group(item) and row.elements:
        ended = 0 if row.children is None else row.children.total()
        meter = bar(ended, len(row.elements))
    figures = (
        str(row.attempts) if began and row.attempts else "-",
        f"{row.calls:,}" if row.calls else "-",
        _cost(row.cost, limit if layout.cost > 11 and began else None),
        meter,
        elapsed(row.lasted(now)) if began else "-",
    )
    state = state_of(board, item)
    if not layout.attempt and row.attempts > 1 and not board.is_group(item):
        state += f", attempt {row.attempts}"
    line = _grid(layout, item.item_id, who(item), state, figures)
    return _inked(terminal, line, layout, state)


def _inked(terminal: Terminal, line: str, layout: _Layout, state: str) -> str:
    """The same line with the item's name bold and the first word of its state coloured."""
    begin = 1 + layout.item + 2 + layout.role + 2
    word = state.partition(" ")[0].rstrip(",")
    if word != line[begin : begin + len(word)]:
        return line
    name, role = line[1 : 1 + layout.item], line[1 + layout.item : begin]
    rest = line[begin + len(word) :]
    ink = terminal.ink
    return " " + ink("bold", name) + role + ink(colour(word), word) + rest


def _grid(
    layout: _Layout, item: str, role: str, state: str, figures: tuple[str, str, str, str, str]
) -> str:
    attempt, calls, cost, meter, time = figures
    texts = [
        f" {left(clip(item, layout.item), layout.item)}",
        f"  {left(clip(role, layout.role), layout.role)}",
        f"  {left(clip(state, layout.state), layout.state)}",
    ]
    if layout.attempt:
        texts.append(right(attempt, layout.attempt) + right(calls, layout.calls))
        money = f"  {left(cost, layout.cost - 2)}{left(meter, layout.bar)}" if layout.cost else ""
        texts.append(money)
    else:
        texts.append(
            f"{left(meter, layout.bar)}{right(calls, layout.calls)}  {left(cost, layout.cost - 2)}"
        )
    return "".join(texts) + right(time, layout.time)


def _below(board: Board, terminal: Terminal, item: Item, now: int) -> list[str]:
    """What it is doing; what is slow and what failed of one with elements or sub-tasks."""
    row = board.rows.get(item.item_id)
    if row is None or not board.is_group(item):
        doing = board.doing.get(item.item_id)
        return [clip(f"           └ {terminal.safe(doing)}", _WIDTH)] if doing else []
    prefix = item.item_id + "."
    flights = board.flights(item.item_id)
    slow = [f"{_label(item, row, i)} {elapsed(now - since)}" for i, since in flights[:4]]
    lost = [
        f"{_label(item, row, p.item_id)} ({p.ending.reason})"
        if p.ending.reason
        else _label(item, row, p.item_id)
        for p in board.problems
        if p.item_id.startswith(prefix) and p.ending.status in PROBLEMS - {"cancelled", "blocked"}
    ]
    texts = ["running: " + "   ".join(slow)] if slow else []
    texts += ["failed: " + ", ".join(lost[:3])] if lost else []
    if not texts:
        return []
    return [clip(f"           └ {terminal.safe('     '.join(texts))}", _WIDTH)]


def _label(item: Item, row: Row, item_id: str) -> str:
    """An element by its text where that is short, by the end of its id otherwise."""
    name = item_id[len(item.item_id) + 1 :]
    named = item.for_each is not None and name.isdecimal()
    return (row.elements[int(name)] if named else "") or name


def _left_out(board: Board, items: list[Item]) -> list[str]:
    missing = len(board.tops) - len(items)
    if not missing:
        return []
    shown: dict[str, int] = {}
    for item in items:
        status = board.status_of(item.item_id)
        shown[status] = shown.get(status, 0) + 1
    counts = {s: n - shown.get(s, 0) for s, n in board.tally.items()}
    told = tally(counts)
    others = missing - sum(counts.values())
    rest = ", ".join(filter(None, [told, f"{others:,} wait or run" if others > 0 else ""]))
    return [f" └ {missing:,} more: {rest}"]


def _total(board: Board, terminal: Terminal, layout: _Layout, now: int) -> str:
    budget = board.plan.budget
    busy = f"{len(board.running)} of {board.plan.max_concurrency} slots busy"
    calls = (
        f"{board.calls:,} of {budget.model_calls:,}" if board.calls and budget.model_calls else "-"
    )
    limit = budget.cost_usd
    wide = layout.cost > 11
    figures = (
        "",
        calls if layout.attempt else calls.partition(" ")[0],
        _cost(board.cost, limit if wide else None) if board.calls or board.cost else "-",
        bar(board.cost, limit) if limit and wide else "",
        elapsed(board.before + now - board.started),
    )
    state = board.status or busy
    return _inked(terminal, _grid(layout, "run", "", state, figures), layout, state)


def _cost(spent: int, limit: int | None) -> str:
    if limit is None:
        return measured(spent) if spent else "-"
    return f"{measured(spent)} of {granted(limit)}"
