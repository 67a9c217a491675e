"""The defaults that hold in a plan, and what of it is missing or refused, for a person."""

from collections.abc import Iterator

from forge_cli.app.defaults import Default
from forge_cli.app.needs import MISSING
from forge_cli.app.planned import Planned
from forge_cli.cli.figures import amounts, duration, size
from forge_cli.cli.tables import clip, hang, left, rule
from forge_cli.cli.terminal import Terminal
from forge_cli.multiagent.plan import Plan

_RULE = 98
_VALUE = 20
_DURATIONS = ("deadline", "timeout", "grace")


def default_lines(planned: Planned) -> list[str]:
    """A row for each default: what nobody wrote, what holds instead, and for whom."""
    lines = [f" {left('default', 15)}  {left('value', _VALUE)}  holds for", rule(_RULE)]
    for default in planned.defaults:
        head = f" {left(default.key, 15)}  {left(clip(_value(default), _VALUE), _VALUE)}  "
        lines += hang(head, _holders(default, planned.plan))
    return lines


def lacking(planned: Planned, terminal: Terminal) -> Iterator[str]:
    """A line for each thing that is missing here, and for each reason why `run` would refuse."""
    lacks = [need for need in planned.needs if not need.ok]
    missing = [n.name if n.state == MISSING else f"{n.name} {n.state}" for n in lacks]
    for text in [*missing, *(f"input {name} not given" for name in planned.missing)]:
        yield f"missing  {terminal.safe(text)}"
    for sentence in planned.refusals:
        first, *others = hang("refused  ", terminal.safe(sentence))
        yield terminal.ink("red", "refused") + first.removeprefix("refused")
        yield from others


def _holders(default: Default, plan: Plan) -> str:
    items = [item.item_id for item in plan.items.values()]
    turns = [item.item_id for item in plan.items.values() if not item.children]
    if not default.holders:
        return "the run"
    if len(turns) > 1 and default.holders in (tuple(items), tuple(turns)):
        return "every item"
    return ", ".join(default.holders)


def _value(default: Default) -> str:
    value = default.value
    if default.key == "budget":
        return amounts(value)
    if default.key in _DURATIONS:
        return duration(value)
    if default.key == "max_output":
        return size(value)
    if default.key == "required":
        return "true"
    return ", ".join(value) if isinstance(value, list) else str(value)
