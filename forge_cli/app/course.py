"""The course a plan takes: which items come when, and the longest way through them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from forge_cli.multiagent.plan import Item, Plan


@dataclass(frozen=True, slots=True)
class Path:
    """The items of the longest way, and how long it is if each takes all the time it may.

    `length` is in milliseconds; waiting for a slot is not in it. `timeouts` are those of the
    items' single attempts.
    """

    items: tuple[str, ...]
    length: int
    timeouts: tuple[int, ...]


def tops(plan: Plan) -> list[Item]:
    """The items that are no sub-tasks, in manifest order."""
    return [item for item in plan.items.values() if item.parent is None]


def orders(plan: Plan) -> dict[str, int]:
    """For each item the earliest wave it can be in, from 1: one behind all it waits for."""
    found: dict[str, int] = {}
    for item in _sorted(tops(plan)):
        before = (found[name] for name in (*item.depends_on, *item.after) if name in found)
        found[item.item_id] = 1 + max(before, default=0)
    return found


def critical_path(plan: Plan) -> Path:
    """The way through the items that takes longest if every attempt ran into its timeout."""
    return _longest(plan, tops(plan))


def longest(plan: Plan, item: Item) -> int:
    """Milliseconds that an item can take: attempts and the pauses between them, its sub-tasks."""
    if item.children:
        return _longest(plan, [plan.items[name] for name in item.children]).length
    attempts = 1 if item.retry is None else item.retry.max_attempts
    pauses = 0 if item.retry is None else sum(item.retry.pause(n) for n in range(1, attempts))
    return (item.timeout * attempts + pauses) * _rounds(plan, item)


def _rounds(plan: Plan, item: Item) -> int:
    """How many elements one after the other, where their number is known before the run."""
    if not isinstance(item.for_each, list):
        return 1
    together = min(item.max_parallel or plan.max_concurrency, plan.max_concurrency)
    return max(-(-len(item.for_each) // together), 1)


def _longest(plan: Plan, items: Iterable[Item]) -> Path:
    lengths: dict[str, int] = {}
    before: dict[str, str] = {}
    ordered = _sorted(items)
    for item in ordered:
        known = [name for name in (*item.depends_on, *item.after) if name in lengths]
        last = max(known, key=lambda name: lengths[name], default="")
        before[item.item_id] = last
        lengths[item.item_id] = lengths.get(last, 0) + longest(plan, item)
    names: list[str] = []
    name = max(lengths, key=lambda key: lengths[key], default="")
    length = lengths.get(name, 0)
    while name:
        names.append(name)
        name = before[name]
    names.reverse()
    return Path(tuple(names), length, tuple(plan.items[n].timeout for n in names))


def _sorted(items: Iterable[Item]) -> list[Item]:
    """The items, each behind all it waits for; manifest order where nothing else says so."""
    by_id = {item.item_id: item for item in items}
    waits = {i: _within(item, by_id) for i, item in by_id.items()}
    followers: dict[str, list[str]] = {}
    for name, others in waits.items():
        for other in others:
            followers.setdefault(other, []).append(name)
    open_ = {name: len(others) for name, others in waits.items()}
    ready = [name for name, number in open_.items() if not number]
    for name in ready:
        for follower in followers.get(name, ()):
            open_[follower] -= 1
            if not open_[follower]:
                ready.append(follower)
    return [by_id[name] for name in ready]


def _within(item: Item, by_id: Mapping[str, Item]) -> set[str]:
    return {name for name in (*item.depends_on, *item.after) if name in by_id}
