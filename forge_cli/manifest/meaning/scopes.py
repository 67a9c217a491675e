"""Scopes as manifests write them: which parts of one lie beyond another, and what to type."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import count

from forge_cli.multiagent.scope import (
    UNDECIDED,
    Inclusion,
    Overlap,
    Scope,
    contains,
    overlap,
    parse,
)

EACH = "${each}"


def apart(writes: tuple[str, ...]) -> bool:
    """Whether each element of a `for_each` writes a part of its own, or nothing."""
    return all(EACH in text for text in writes)


MOST_ELEMENTS = 1_000
"""Elements of a list that are looked at one by one; of more, only what is no plain name."""


@lru_cache(maxsize=65_536)
def fault(text: str) -> str:
    """Why the scope is refused, or nothing."""
    try:
        parse(text)
    except ValueError as error:
        return str(error)
    return ""


MAX_EFFORT = 300_000
"""States that the questions of one manifest may take together (about a second)."""

_SEARCH = 60
"""What a search costs beside its states: its automata and its alphabet."""


class _Effort:
    """What is left of `MAX_EFFORT`, and the answers that were given, each paid for once.

    A question that comes when nothing is left gets the answer that permits nothing. What a question
    costs does not depend on what other manifests asked, so that each manifest gets its own answers.
    """

    def __init__(self) -> None:
        self.left = MAX_EFFORT
        self.included: dict[tuple[tuple[str, ...], str], Inclusion] = {}
        self.shared: dict[tuple[str, str], str | None] = {}

    def pay(self, states: int, patterns: int) -> None:
        # A set of states is as long as there are patterns.
        self.left -= 1 + (states and states * (1 + patterns // 512) + _SEARCH + patterns // 4)


_effort = _Effort()


def begin() -> None:
    """What follows is about another manifest, which has an effort of its own."""
    global _effort  # noqa: PLW0603 - as the caches below, it belongs to the process
    _effort = _Effort()


def spent() -> bool:
    """Whether nothing is left: what is found from now on may only be what was not looked at."""
    return _effort.left <= 0


TOO_MUCH = (
    "the scopes of this manifest take too long to compare; none is let through unseen",
    "write fewer patterns with several wildcards, or the same ones in more places",
)
"""Message and hint of the last finding of a rule, where nothing is left."""


def included(parents: tuple[str, ...], child: str) -> Inclusion:
    """Whether the parents together hold all that the child does; texts that are refused are out.

    No, without a witness, where the manifest's questions have taken too long.
    """
    answer = _effort.included.get((parents, child))
    if answer is None:
        if child in parents:
            answer = Inclusion(True)
        elif _effort.left <= 0:
            answer = Inclusion(False)
        else:
            answer, patterns = _contained(parents, child)
            _effort.pay(answer.states, patterns)
        _effort.included[parents, child] = answer
    return answer


def shared(one: str, other: str) -> str | None:
    """The shortest path that both could touch; `UNDECIDED` where that takes too long to say."""
    pair = (one, other)
    if pair not in _effort.shared:
        if _effort.left > 0:
            found = _met(one, other)
            _effort.pay(found.states, 2)
            _effort.shared[pair] = found.path
        else:
            _effort.shared[pair] = UNDECIDED
    return _effort.shared[pair]


@lru_cache(maxsize=65_536)
def _contained(parents: tuple[str, ...], child: str) -> tuple[Inclusion, int]:
    """The answer, and how many of the parents it took: others begin with another folder."""
    beginnings = _by_beginning(parents)
    first = literal(child)[:1]
    if first:
        near = beginnings.get(first, ()) + beginnings.get((), ())
    else:
        near = tuple(scope for scopes in beginnings.values() for scope in scopes)
    return contains(near, child), len(near)


@lru_cache(maxsize=1_024)
def _by_beginning(parents: tuple[str, ...]) -> Mapping[tuple[str, ...], tuple[Scope, ...]]:
    """The parents by their first segment, if it has no wildcard; texts that are refused are out."""
    found: dict[tuple[str, ...], list[Scope]] = defaultdict(list)
    for parent in parents:
        if not fault(parent):
            found[literal(parent)[:1]].append(parse(parent))
    return {first: tuple(scopes) for first, scopes in found.items()}


@lru_cache(maxsize=65_536)
def _met(one: str, other: str) -> Overlap:
    return overlap(one, other)


def literal(text: str) -> tuple[str, ...]:
    """The segments before the first wildcard; the address of a scope of the network is one."""
    prefix: list[str] = []
    for segment in text.removeprefix("files:").split("/"):
        if any(char in segment for char in "*?["):
            break
        prefix.append(segment)
    return tuple(prefix)


def covers(parents: tuple[str, ...], children: tuple[str, ...]) -> bool:
    """Whether the parents hold every one of the children; a text that is refused is let be."""
    return parents == children or all(
        included(parents, child).holds for child in children if not fault(child)
    )


def meet(ours: tuple[str, ...], theirs: tuple[str, ...]) -> list[str]:
    """The patterns of each that lie within the other: what both allow where they are nested."""
    within = [text for text in ours if covers(theirs, (text,))]
    return list(dict.fromkeys([*within, *(text for text in theirs if covers(ours, (text,)))]))


def elements(texts: tuple[str, ...], for_each: object) -> Iterator[tuple[str, ...]]:
    """The texts for each element; with `*` for the many or unknown ones that are plain names."""
    if not any(EACH in text for text in texts):
        yield texts
        return
    for element in _stand_ins(for_each):
        yield _filled(texts, "*" if element is None else element)


def of_elements(parents: tuple[str, ...], child: str, for_each: object) -> Iterator[Inclusion]:
    """Whether the parents hold the child, for each element; where it is refused, it is let be."""
    steady = tuple(parent for parent in parents if EACH not in parent)
    if EACH not in child:
        # Who does not vary with the element cannot rely on a pattern that does.
        yield Inclusion(True) if fault(child) else included(steady, child)
        return
    for element in _stand_ins(for_each):
        (text,) = _filled((child,), "*" if element is None else element)
        if fault(text):
            continue
        if element is not None:
            yield included(_filled(parents, element), text)
            continue
        yield Inclusion(True) if _varies_with(parents, child) else included(steady, text)


def _varies_with(parents: tuple[str, ...], child: str) -> bool:
    """Whether a parent surely holds the child for whatever plain name the element may be.

    It does if it does for a name that no text has a part of, as long as nothing asks for a length.
    """
    varying = tuple(p for p in parents if EACH in p and _ONE_CHARACTER.isdisjoint(p))
    if child in parents or not varying:
        return child in parents
    written = {*"".join((child, *varying))}
    name = next(chr(code) for code in count(ord("a")) if chr(code) not in written)
    (text,) = _filled((child,), name)
    return included(_filled(varying, name), text).holds


_ONE_CHARACTER = frozenset("?[")


def _filled(texts: tuple[str, ...], element: str) -> tuple[str, ...]:
    return tuple(text.replace(EACH, element) for text in texts)


def _stand_ins(for_each: object) -> Iterator[str | None]:
    """The elements as texts; None for all the plain names of a long list, or of one not known."""
    if not isinstance(for_each, list):
        yield None
    elif len(for_each) <= MOST_ELEMENTS:
        yield from map(str, for_each)
    else:
        yield None
        yield from (text for text in map(str, for_each) if not re.fullmatch(_PLAIN_NAME, text))


_PLAIN_NAME = r"[A-Za-z0-9_-][A-Za-z0-9._-]*"


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
