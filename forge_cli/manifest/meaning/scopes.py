"""Scopes as manifests write them: which parts of one lie beyond another, and what to type."""

from collections.abc import Iterator
from functools import lru_cache

from forge_cli.multiagent.scope import Inclusion, contains, overlaps, parse

EACH = "${each}"


def apart(writes: tuple[str, ...]) -> bool:
    """Whether each element of a `for_each` writes a part of its own, or nothing."""
    return all(EACH in text for text in writes)


MOST_ELEMENTS = 1_000
"""Elements of a list that are looked at one by one; a longer one is taken for any element."""


@lru_cache(maxsize=65_536)
def fault(text: str) -> str:
    """Why the scope is refused, or nothing."""
    try:
        parse(text)
    except ValueError as error:
        return str(error)
    return ""


@lru_cache(maxsize=65_536)
def included(parents: tuple[str, ...], child: str) -> Inclusion:
    """Whether the parents together hold all that the child does; texts that are refused are out."""
    if child in parents:
        return Inclusion(True, None)
    return contains([p for p in parents if not fault(p)], child)


@lru_cache(maxsize=65_536)
def shared(one: str, other: str) -> str | None:
    """The shortest path that both could touch."""
    return overlaps(one, other)


def covers(parents: tuple[str, ...], children: tuple[str, ...]) -> bool:
    """Whether the parents hold every one of the children; a text that is refused is let be."""
    return parents == children or all(
        included(parents, child).holds for child in children if not fault(child)
    )


def elements(texts: tuple[str, ...], for_each: object) -> Iterator[tuple[str, ...]]:
    """The texts for each element of a literal list, or once for whatever the element may be."""
    if not any(EACH in text for text in texts):
        yield texts
    elif isinstance(for_each, list) and len(for_each) <= MOST_ELEMENTS:
        for element in for_each:
            yield tuple(text.replace(EACH, str(element)) for text in texts)
    else:
        yield tuple(text.replace(EACH, "*") for text in texts)


def anywhere(text: str) -> bool:
    """Whether the scope begins in any folder: what it is about is kept when it is put below one."""
    return text.partition(":")[2].startswith("**/")


def narrowed(parents: tuple[str, ...], children: tuple[str, ...], outside: str) -> list[str]:
    """The children, and for the one that is outside what the parents hold of it; maybe nothing.

    A pattern that begins anywhere is put below a parent; one that has a folder of its own is not,
    since nobody has such a folder there.
    """
    free = [parent for parent in parents if parent not in children and not fault(parent)]
    inside = [parent for parent in free if included((outside,), parent).holds]
    if anywhere(outside):
        kind, _, pattern = outside.partition(":")
        below = [p[:-2] for p in free if p.startswith(f"{kind}:") and p.endswith("/**")]
        tries = [f"{base}{rest}" for base in below for rest in (pattern, pattern[3:])]
        fitting = (each for each in tries if not fault(each) and included(parents, each).holds)
        inside = list(fitting)[:1] or inside
    kept = [each for child in children for each in (inside if child == outside else [child])]
    return list(dict.fromkeys(kept))
