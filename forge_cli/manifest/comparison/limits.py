"""How scopes, budgets and deadlines differ: by what they allow, not by how they are written."""

from dataclasses import dataclass

from forge_cli.manifest.comparison.changes import Direction, Verdict
from forge_cli.manifest.comparison.judges import text
from forge_cli.manifest.meaning.limits import amount
from forge_cli.manifest.meaning.scopes import EACH, MOST_ELEMENTS, elements, included
from forge_cli.manifest.naming import shown
from forge_cli.multiagent.budget import DIMENSIONS, Budget
from forge_cli.multiagent.plan import Deadline, Json
from forge_cli.multiagent.times import to_span, to_text


@dataclass(frozen=True, slots=True)
class Reach:
    """A scope: its patterns, None where it is not narrowed, and what `${each}` in them stands for.

    `each` is a literal list, or the text of the reference to one.
    """

    patterns: tuple[str, ...] | None
    each: Json = None


@dataclass(frozen=True, slots=True)
class Allowance:
    """A budget as it is written here, and with what holds above it.

    `role_id` is the role whose budget holds as well, of an item.
    """

    own: Budget | None
    effective: Budget
    role_id: str = ""


@dataclass(frozen=True, slots=True)
class Limit:
    """A deadline as it is written here, and with what holds above it."""

    own: Deadline | None
    effective: Deadline


def reach(old: Reach, new: Reach) -> Verdict | None:
    """Scopes by the paths and addresses that they allow, with the shortest one that differs."""
    wider, narrower = _beyond(new, old), _beyond(old, new)
    if wider is None and narrower is None:
        return None
    texts = _reach_text(old), _reach_text(new)
    if wider is None:
        return Verdict("compatible", "narrowed", *texts, _no_longer(narrower))
    direction: Direction = "widened" if narrower is None else "changed"
    return Verdict("breaking", direction, *texts, _reaches(wider))


def _beyond(inner: Reach, outer: Reach) -> str | None:
    """A path that the inner allows and the outer does not: '' if none is known, None if none is."""
    if outer.patterns is None or inner.patterns is None:
        return None if outer.patterns is None else ""
    same = inner.each == outer.each
    # What stands for any element is more than it may turn out to be: it holds nothing but itself.
    known = [each for each in outer.patterns if EACH not in each or _is_short(outer.each)]
    holding = tuple(each for texts in elements(tuple(known), outer.each) for each in texts)
    for pattern in inner.patterns:
        if pattern in outer.patterns and (same or EACH not in pattern):
            continue
        for (each,) in elements((pattern,), inner.each):
            answer = included(holding, each)
            if not answer.holds:
                return answer.witness or ""
    return None


def _is_short(each: Json) -> bool:
    return isinstance(each, list) and len(each) <= MOST_ELEMENTS


def _reaches(witness: str) -> str:
    if not witness:
        return "cannot be shown to lie within what it was"
    return f"reaches '{shown(witness)}', which it could not before"


def _no_longer(witness: str | None) -> str:
    return f"no longer reaches '{shown(witness)}'" if witness else ""


def _reach_text(scope: Reach) -> str:
    return "not narrowed" if scope.patterns is None else text(scope.patterns)


def allowance(old: Allowance, new: Allowance) -> Verdict | None:
    """Budgets by what may be spent in the end, dimension by dimension."""
    if (old.own or Budget(), old.role_id) == (new.own or Budget(), new.role_id):
        return None
    before, after = old.effective.limits(), new.effective.limits()
    raised = [d for d in DIMENSIONS if d in before and (d not in after or after[d] > before[d])]
    lowered = [d for d in DIMENSIONS if d in after and (d not in before or after[d] < before[d])]
    texts = _budget_text(old.own), _budget_text(new.own)
    if not raised and not lowered:
        same = (old.own or Budget()) == (new.own or Budget())
        told = "what is reserved at its start differs"
        return None if same else Verdict("behavioural", "changed", *texts, told)
    told = ", ".join(f"{d} {_figure(d, before)} -> {_figure(d, after)}" for d in raised or lowered)
    if not raised:
        return Verdict("compatible", "narrowed", *texts, told)
    return Verdict("breaking", "changed" if lowered else "widened", *texts, told)


def _figure(dimension: str, limits: dict[str, int]) -> str:
    return amount(dimension, limits[dimension]) if dimension in limits else "no limit"


def _budget_text(budget: Budget | None) -> str:
    if budget is None or not budget.limits():
        return "what is above it"
    pairs = (f"{d}: {amount(d, figure)}" for d, figure in budget.limits().items())
    return "{" + ", ".join(pairs) + "}"


def limit(old: Limit, new: Limit) -> Verdict | None:
    """Deadlines by when work must have ended, whenever the run starts."""
    if old.own == new.own:
        return None
    later, earlier = (
        not _bounds(new.effective, old.effective),
        not _bounds(old.effective, new.effective),
    )
    if not later and not earlier:
        return None
    texts = deadline_text(old.effective), deadline_text(new.effective)
    if not later:
        return Verdict("compatible", "narrowed", *texts)
    if not earlier:
        return Verdict("breaking", "widened", *texts)
    return Verdict("breaking", "changed", *texts, "cannot be shown to be no later")


def _bounds(one: Deadline, other: Deadline) -> bool:
    """Whether the one is no later than the other, for every start of a run."""
    return _no_later(one.at, other.at) and _no_later(one.within, other.within)


def _no_later(one: int | None, other: int | None) -> bool:
    return other is None or (one is not None and one <= other)


def earliest(*deadlines: Deadline | None) -> Deadline:
    """What holds where all of these do."""
    given = [deadline for deadline in deadlines if deadline is not None]
    return Deadline(
        min((d.at for d in given if d.at is not None), default=None),
        min((d.within for d in given if d.within is not None), default=None),
    )


def deadline_text(deadline: Deadline) -> str:
    """A deadline as it can be typed; both of its limits where it has two."""
    texts = [] if deadline.within is None else [to_span(deadline.within)]
    texts += [] if deadline.at is None else [to_text(deadline.at)]
    return " and ".join(texts)
