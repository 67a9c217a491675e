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


def narrowed(parents: tuple[str, ...], children: tuple[str, ...], outside: str) -> list[str]:
    """The children with the one that is outside made narrow enough, or else the parents."""
    kept = [child for child in children if child != outside]
    kind, _, pattern = outside.partition(":")
    rest = pattern.removeprefix("**/")
    for parent in parents:
        if parent in kept or not parent.startswith(f"{kind}:") or not parent.endswith("/**"):
            continue
        for candidate in (f"{parent[:-2]}{pattern}", f"{parent[:-2]}{rest}"):
            if not fault(candidate) and included(parents, candidate).holds:
                return [candidate if child == outside else child for child in children]
    return list(parents)
