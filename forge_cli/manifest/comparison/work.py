"""How the course of items differs: their order, conditions, elements, and who reviews them."""

from typing import Any

from forge_cli.canonical import canonical
from forge_cli.manifest.comparison.changes import Direction, Verdict, Weight
from forge_cli.manifest.comparison.judges import MOST_NAMED, apart, named, text
from forge_cli.manifest.comparison.of_items import Demand, Order
from forge_cli.multiagent.plan import Json


def order(old: Order, new: Order) -> Verdict | None:
    """What is waited for. Where only references make it differ, their own change says so."""
    before, after = _waits(old), _waits(new)
    if before == after:
        return None
    told = [f"waits for {named(after - before)}"] * bool(after - before)
    told += [f"no longer waits for {named(before - after)}"] * bool(before - after)
    follows = old.named == new.named
    return Verdict(
        "behavioural", "changed", _order_text(old), _order_text(new), "; ".join(told), follows
    )


def _waits(order: Order) -> frozenset[str]:
    return order.accepted | {f"{name} (after)" for name in order.ended}


def _order_text(order: Order) -> str:
    return text(_waits(order))


def condition(old: Demand, new: Demand) -> Verdict | None:
    """Whether work may be left out that was done before, and that somebody needs."""
    if old.value == new.value:
        return None
    laxer = new.value is not None and old.needed
    weight: Weight = "breaking" if laxer else "behavioural"
    told = ""
    if laxer:
        told = "may now be skipped"
        if old.value is not None:
            told = "cannot be shown to hold wherever it did"
    direction: Direction = "loosened" if laxer and old.value is None else "changed"
    return Verdict(weight, direction, text(old.value), text(new.value), told)


def elements(old: Demand, new: Demand) -> Verdict | None:
    """Whether the work is still done for each element that it was done for."""
    if canonical(old.value) == canonical(new.value):
        return None
    texts = apart(old.value, new.value)
    if not isinstance(old.value, list) or not isinstance(new.value, list):
        told = "cannot be shown to have the same elements"
        if old.value is None or new.value is None:
            told = "outputs are no longer lists" if new.value is None else "outputs become lists"
        return Verdict("breaking", "changed", *texts, told)
    before, after = list(map(canonical, old.value)), list(map(canonical, new.value))
    lost = [each for each in before if each not in after]
    if lost or len(after) < len(before):
        weight: Weight = "breaking" if old.needed else "behavioural"
        told = f"no longer for {_few(lost)}" if lost else "no longer so often"
        return Verdict(weight, "narrowed", *texts, told)
    if after[: len(before)] == before:
        return Verdict("compatible", "widened", *texts, f"also for {_few(after[len(before) :])}")
    return Verdict("behavioural", "changed", *texts)


def _few(values: list[str]) -> str:
    return ", ".join(values[:MOST_NAMED]) + (", ..." if values[MOST_NAMED:] else "")


def review(old: Any, new: Any) -> Verdict | None:
    """A review that is laxer: of fewer items, by fewer votes, or not at all."""
    if old == new:
        return None
    texts = text(old), text(new)
    if old is None:
        return Verdict("compatible", "tightened", *texts)
    kept = new is not None and {*old["of"]} <= {*new["of"]} and new["quorum"] >= old["quorum"]
    if kept:
        return None if _alike(old, new) else Verdict("compatible", "tightened", *texts)
    return Verdict("breaking", "loosened", *texts)


def _alike(old: Json, new: Json) -> bool:
    return {*old["of"]} == {*new["of"]} and bool(old["quorum"] == new["quorum"])
