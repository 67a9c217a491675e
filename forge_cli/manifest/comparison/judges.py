"""How two values of one aspect differ, and how much that weighs; None where they mean the same.

Where it cannot be decided, the heavier answer is given: a verdict is never better than the facts.
"""

import sys
from collections.abc import Callable, Collection, Mapping
from itertools import takewhile
from typing import Any

from forge_cli.manifest.comparison.changes import Direction, Verdict, Weight
from forge_cli.manifest.naming import brief, flow, shown
from forge_cli.multiagent.plan import Json

Judge = Callable[[Any, Any], Verdict | None]

LONGEST = 400
"""Characters of a value that is shown."""

_BEFORE = 40

MOST_NAMED = 5
"""Words that a witness names."""


def text(value: Json, longest: int = LONGEST) -> str:
    """A value as it can be typed; nothing for None."""
    match value:
        case None:
            return ""
        case frozenset():
            return flow(sorted(value), longest)
        case tuple():
            return flow(list(value), longest)
    return flow(value, longest)


def named(words: Collection[str]) -> str:
    """Words in quotes, the first few of many."""
    quoted = [f"'{shown(word)}'" for word in sorted(words)]
    more = f" and {len(quoted) - MOST_NAMED} more" if quoted[MOST_NAMED:] else ""
    return ", ".join(quoted[:MOST_NAMED]) + more


def granted(old: frozenset[str] | None, new: frozenset[str] | None) -> Verdict | None:
    """Words of which more is wider; None is what is not narrowed."""
    if old == new:
        return None
    if old is None or new is None:
        none = "not narrowed"
        widened = new is None
        return Verdict(
            "breaking" if widened else "compatible",
            "widened" if widened else "narrowed",
            none if old is None else text(old),
            none if new is None else text(new),
        )
    return _words(old, new, "breaking", "compatible", ("widened", "narrowed"))


def kept(old: frozenset[str], new: frozenset[str]) -> Verdict | None:
    """Words that somebody counts on, so that fewer is a loss."""
    return _words(old, new, "compatible", "breaking", ("widened", "narrowed"))


def demanded(old: frozenset[str], new: frozenset[str]) -> Verdict | None:
    """Words that a result is held against, so that fewer is laxer."""
    return _words(old, new, "compatible", "breaking", ("tightened", "loosened"))


def _words(
    old: frozenset[str],
    new: frozenset[str],
    adding: Weight,
    removing: Weight,
    directions: tuple[Direction, Direction],
) -> Verdict | None:
    added, removed = new - old, old - new
    if not added and not removed:
        return None
    told = [f"adds {named(added)}"] * bool(added) + [f"removes {named(removed)}"] * bool(removed)
    if added and removed:
        return Verdict("breaking", "changed", text(old), text(new), "; ".join(told))
    weight, direction = (adding, directions[0]) if added else (removing, directions[1])
    return Verdict(weight, direction, text(old), text(new), told[0])


def bounded(show: Callable[[int], str] = str) -> Judge:
    """Limits of which a higher one is wider."""

    def judge(old: int, new: int) -> Verdict | None:
        if old == new:
            return None
        if new > old:
            return Verdict("breaking", "widened", show(old), show(new))
        return Verdict("compatible", "narrowed", show(old), show(new))

    return judge


def ranked(
    strictness: Mapping[Any, int],
    directions: tuple[Direction, Direction] = ("tightened", "loosened"),
    tightening: Weight = "compatible",
) -> Judge:
    """Values with an order: less strict is breaking, and so is another one as strict."""

    def judge(old: Any, new: Any) -> Verdict | None:
        if old == new:
            return None
        if strictness[new] > strictness[old]:
            return Verdict(tightening, directions[0], text(old), text(new))
        direction = directions[1] if strictness[new] < strictness[old] else "changed"
        return Verdict("breaking", direction, text(old), text(new))

    return judge


def differing(weight: Weight) -> Judge:
    """Values that are the same, or whose every difference weighs as much."""

    def judge(old: Any, new: Any) -> Verdict | None:
        if _same(old, new):
            return None
        return Verdict(weight, "changed", *apart(old, new))

    return judge


def _same(old: Any, new: Any) -> bool:
    """Equality of JSON values, in which neither true is 1 nor 1.0 differs from 1."""
    if isinstance(old, bool) or isinstance(new, bool):
        return old is new
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return old.keys() == new.keys() and all(_same(old[key], new[key]) for key in old)
    if isinstance(old, list | tuple) and isinstance(new, list | tuple):
        return len(old) == len(new) and all(map(_same, old, new))
    return bool(old == new)


def apart(old: Json, new: Json) -> tuple[str, str]:
    """Both values as they can be typed; of long ones the part where they begin to differ."""
    texts = [text(value, sys.maxsize) for value in (old, new)]
    if max(map(len, texts)) <= LONGEST:
        return texts[0], texts[1]
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*texts, strict=False)))
    start = max(same - _BEFORE, 0)
    lead = "..." if start else ""
    return brief(lead + texts[0][start:], LONGEST), brief(lead + texts[1][start:], LONGEST)


DEMANDED: Mapping[Any, int] = {True: 1, False: 0}
"""Strictness of a demand that is there or not."""
