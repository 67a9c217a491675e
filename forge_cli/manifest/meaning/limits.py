"""Budgets and deadlines as manifests write them, read as far as they can be."""

from typing import Any

from forge_cli.manifest.meaning.nodes import Node, Written
from forge_cli.manifest.meaning.values import Fault, deadline, duration, money
from forge_cli.multiagent.budget import DEFAULT_BUDGET, DIMENSIONS, Budget
from forge_cli.multiagent.grants import DEFAULT_DEADLINE, Deadline


def budget(written: Any) -> Budget | None:
    """The budget that a mapping writes, without amounts that are refused; None for none."""
    if not isinstance(written, dict):
        return None
    limits = {d: _amount(d, written[d]) for d in DIMENSIONS if d in written}
    return Budget(**limits)


def run_budget(data: Written) -> Budget:
    """What the whole run may spend."""
    return budget(data.get("budget")) or DEFAULT_BUDGET


def role_budget(node: Node) -> Budget | None:
    """The most that its role lets one item spend."""
    return (
        None
        if node.agent is None or node.way == "inline"
        else budget(node.agent.written.get("budget"))
    )


def narrowest(*budgets: Budget | None) -> Budget:
    """The least that any of them allows, dimension by dimension."""
    limits: dict[str, int] = {}
    for budget in budgets:
        for dimension, figure in (budget.limits() if budget else {}).items():
            limits[dimension] = min(figure, limits.get(dimension, figure))
    return Budget(**limits)


def read_deadline(written: Any) -> Deadline | None:
    """The deadline that a text writes; None for none, or one that is refused."""
    found = deadline(written) if isinstance(written, str) else None
    return None if isinstance(found, Fault) else found


def run_deadline(data: Written) -> Deadline:
    """When the whole run must have ended."""
    return read_deadline(data.get("deadline")) or DEFAULT_DEADLINE


def read_duration(written: Any) -> int | None:
    """Milliseconds of a duration; None for none, or one that is refused."""
    found = duration(written) if isinstance(written, str) else None
    return None if isinstance(found, Fault) else found


def later(child: Deadline, parent: Deadline, now: int | None) -> bool:
    """Whether the child's deadline is surely behind the parent's, for a run that starts `now`.

    Without a start, times are compared with times and spans with spans.
    """
    if now is not None:
        return child.resolve(now) > parent.resolve(now)
    if child.at is not None and parent.at is not None and child.at > parent.at:
        return True
    both = child.within is not None and parent.within is not None
    return both and (child.within or 0) > (parent.within or 0)


def _amount(dimension: str, value: Any) -> int | None:
    if dimension != "cost_usd":
        return int(value)
    found = money(value)
    return None if isinstance(found, Fault) else found


def amount(dimension: str, figure: int) -> str:
    """A limit as it is written: money in dollars, without trailing zeros."""
    if dimension != "cost_usd":
        return str(figure)
    dollars, micro = divmod(figure, 1_000_000)
    return f"{dollars}.{micro:06}".rstrip("0").rstrip(".")
