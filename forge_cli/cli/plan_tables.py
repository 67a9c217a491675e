"""A plan as a person reads it: order, grants, budget, the longest way, what is needed here."""

from collections.abc import Iterator, Sequence

from forge_cli.app.course import Path, critical_path, orders, tops
from forge_cli.app.planned import Planned, Why
from forge_cli.app.sandbox import OFF
from forge_cli.cli.figures import amount, amounts, count, duration, granted
from forge_cli.cli.grants import sides
from forge_cli.cli.header import short_digest, stated_deadline
from forge_cli.cli.plan_defaults import default_lines
from forge_cli.cli.tables import clip, flow, hang, left, right, rule, share, wrap
from forge_cli.cli.terminal import Terminal, width
from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.plan import Item, Plan

_RULE = 98
_LABEL = 16
_USE = 45
_HOUR = 3_600_000
_MOST_WHY = 3


def plan_lines(
    planned: Planned, terminal: Terminal, verbose: bool = False, defaults: bool = False
) -> list[str]:
    """The whole report, at most 100 columns wide.

    `verbose` tells what each of the other roles lacks, however many, and the whole digest;
    `defaults` adds a block of them.
    """
    plan = planned.plan
    blocks = [
        _title(planned, terminal, verbose),
        _order(planned, terminal, verbose),
        _grants(planned, terminal),
        _budget(plan),
        *([default_lines(planned)] if defaults else []),
        _rest(planned, terminal),
    ]
    return [line for block in blocks for line in [*block, ""]][:-1]


def _title(planned: Planned, terminal: Terminal, verbose: bool) -> list[str]:
    plan = planned.plan
    roles = sum(not name.startswith("inline:") for name in plan.roles)
    counts = count(len(tops(plan)), "item") + (f", {count(roles, 'role')}" if roles else "")
    state = f"valid, {count(planned.warnings, 'warning')}"
    if absent := len(planned.missing) + sum(not need.ok for need in planned.needs):
        state += f", {absent} missing here"
    digest = plan.digest if verbose else short_digest(plan.digest)
    lines = flow(f"{plan.name}  ", [f"plan {digest}", counts, state])
    if planned.description:
        lines += wrap(terminal.safe(planned.description), 100)
    return lines


def _order(planned: Planned, terminal: Terminal, verbose: bool) -> list[str]:
    plan, waves = planned.plan, orders(planned.plan)
    rows = [
        (str(waves[item.item_id]), item.item_id, _role(plan, item), _after(item))
        for item in tops(plan)
    ]
    item, role, after = share(
        50, [max([floor, *map(width, column)]) for floor, column in _columns(rows)]
    )
    titles = (
        f"{right('order', 6)}  {left('item', item)}  {left('role', role)}"
        f"  {left('starts after', after)}  why this role"
    )
    lines = [titles, rule(_RULE)]
    for wave, name, who, names in rows:
        start, named = f"{right(wave, 6)}  ", left(clip(name, item), item)
        rest = f"  {left(clip(who, role), role)}  {left(clip(names, after), after)}  "
        head = start + named + rest
        texts = _why(planned.why.get(name), plan.items[name], None if verbose else _MOST_WHY)
        first, *others = [
            part for text in texts for part in wrap(terminal.safe(text), 100 - width(head))
        ]
        lines.append(start + terminal.ink("bold", named) + (rest + first).rstrip())
        lines += [" " * width(head) + other for other in others]
    return lines


def _columns(rows: Sequence[tuple[str, str, str, str]]) -> Iterator[tuple[int, list[str]]]:
    for number, floor in ((1, 8), (2, 8), (3, 12)):
        yield floor, [row[number] for row in rows]


def _role(plan: Plan, item: Item) -> str:
    if item.children:
        return item.pattern
    if item.role_id.startswith("inline:"):
        return "inline"
    return f"{item.role_id}@{plan.roles[item.role_id].version}"


def _after(item: Item) -> str:
    return ", ".join([*item.depends_on, *(f"{name} (however)" for name in item.after)]) or "-"


def _why(why: Why | None, item: Item, most: int | None) -> list[str]:
    """Why this role: the reason, and of the others who could and what each of the rest lacks.

    Of the others at most so many; None is all of them.
    """
    if item.children:
        return [f"{count(len(item.children), 'sub-task')}: " + ", ".join(item.children)]
    if item.role_id.startswith("inline:"):
        return ["its own program"]
    if why is None:
        return [item.route]
    able = ", ".join(why.others[: None if most is None else most + 2])
    others = f"; also could: {able}" if able else "; nobody else could"
    lacking = [f"{role} lacks {'; '.join(lack)}" for role, lack in why.lacking.items()]
    if not lacking and not why.others:
        return [why.reason]
    told = lacking[:most]
    if len(lacking) > len(told):
        told.append(f"{len(lacking) - len(told)} more lack something (-v)")
    return [why.reason + others + (":" if told and not why.others else ""), *told]


def _grants(planned: Planned, terminal: Terminal) -> list[str]:
    plan = planned.plan
    items = [item for item in plan.items.values() if not item.children]
    names = min(max([8, *(width(item.item_id) for item in items)]), 24)
    lines = [" what each turn may do", rule(_RULE)]
    for item in items:
        head = f" {terminal.ink('bold', left(clip(item.item_id, names), names))}  "
        for line in sides(plan, item, item.grant, planned.sandbox, terminal, 60 - names):
            lines.append(head + line)
            head = " " * (names + 3)
    return lines


def _budget(plan: Plan) -> list[str]:
    lines = [f" {left('budget', _LABEL)}{right('model calls', 11)}   cost", rule(_RULE)]
    owned = [(item.item_id, item.budget) for item in tops(plan) if item.budget is not None]
    lines.append(_budget_row("run", plan.budget, "-", ""))
    shared = bool(owned) and plan.budget.cost_usd is not None
    for name, budget in owned:
        per = "each element" if plan.items[name].for_each is not None else "it"
        note = f"reserved when {per} starts"
        branch = "├" if shared or name != owned[-1][0] else "└"
        lines.append(_budget_row(f"{branch} {name}", budget, "shared", note))
    if shared and plan.budget.cost_usd is not None:
        rest = plan.budget.cost_usd - sum(budget.cost_usd or 0 for _, budget in owned)
        others = Budget(cost_usd=max(rest, 0))
        lines.append(_budget_row("└ the others", others, "shared", "turn by turn"))
    return lines


def _budget_row(name: str, budget: Budget, absent: str, note: str) -> str:
    calls = absent if budget.model_calls is None else f"{budget.model_calls:,}"
    texts = [absent if budget.cost_usd is None else granted(budget.cost_usd)]
    more = (("tokens", budget.tokens), ("tool_calls", budget.tool_calls))
    texts += [amount(dimension, value) for dimension, value in more if value is not None]
    line = f" {left(clip(name, _LABEL), _LABEL)}{right(calls, 11)}   {', '.join([*texts, note])}"
    return line.rstrip(", ")


def _rest(planned: Planned, terminal: Terminal) -> list[str]:
    plan = planned.plan
    rows = [
        ("critical path", _critical(plan, critical_path(plan))),
        ("approvals", ", ".join(planned.approvals) or "none; nothing here is irreversible"),
        ("sandbox", _sandbox(planned)),
    ]
    lines = [line for key, text in rows for line in hang(_key(key), text)]
    if planned.inputs:
        given = [f"{name} {terminal.safe(text)}" for name, text in planned.inputs.items()]
        lines += flow(_key("inputs"), given, 3)
    found = [f"{terminal.safe(need.name)} {need.state}" for need in planned.needs]
    lines += flow(_key("needed here"), found, 3) if found else []
    for sentence in planned.refusals:
        lines += hang(_key("run refuses"), terminal.safe(sentence))
    limits = (
        f"{amounts(plan.budget.limits())}, deadline {stated_deadline(plan)}, "
        f"{plan.max_concurrency} at once"
    )
    return [*lines, *hang(_key("limits"), limits)]


def _sandbox(planned: Planned) -> str:
    reached = planned.sandbox
    if reached == OFF:
        reached = f"{OFF}: what a handler's program does is not held to its grant"
    return f"{reached}; {planned.advice}" if planned.advice else reached


def _key(text: str) -> str:
    return f" {left(text, 15)}"


def _critical(plan: Plan, path: Path) -> str:
    names = " > ".join(path.items)
    times = {duration(timeout) for timeout in path.timeouts}
    each = f"its timeout of {times.pop()}" if len(times) == 1 else "its timeout"
    text = f"{names}, {duration(path.length)} if every attempt takes {each}"
    within = plan.deadline.within
    if within is not None and path.length > within:
        text += f"; the deadline ends the run after {duration(within)}"
    return text
