"""Scopes: what a contract lets a turn touch, and whether one scope lies within others.

A scope is `files:<glob>` or `net:<host>:<port>`; there is no deny, and no scopes mean nothing.

A glob is a path below the workspace, matched by code points, case and all. Of its segments

* `**`, always a whole segment, stands for any number of segments, none included, and as the last
  one for at least one; none of them begins with a dot;
* `*` stands for any number of characters, none included;
* `?` stands for one character;
* `[a-z]` stands for one character of the class: single characters and ranges, `-` first or last
  is itself, `]` first is itself; `*`, `?` and `[` in a class are themselves, too;
* `[!a]` and `[^a]` are refused, as is `!` anywhere: a scope says what is allowed;
* any other character is itself.

None of these ever matches a `/`. A segment that begins with a wildcard matches no name that begins
with a dot: neither `*`, `?`, `[.]` nor `*.py` matches `.py`; `.*` does, and so does `.[a-z]*`. The
names `.` and `..` are never matched.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, NamedTuple

from forge_cli.multiagent.automaton import Automaton
from forge_cli.multiagent.glob import ANY_SEGMENTS, MAX_LENGTH, fault, is_wild, mended
from forge_cli.multiagent.product import Product, TooManyStatesError

_HOST = r"(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*"
_PORT = r"[1-9][0-9]{0,4}"
_OCTET = r"0|[1-9][0-9]{0,2}"
_ENDS_IN_NUMBER = r"(.*\.)?([0-9]+|0x[0-9a-f]*)"

UNDECIDED = "(too many possibilities to name one)"
"""What `overlaps` says instead of a path when it looked in vain for too long."""


class Scope(NamedTuple):
    """A canonical scope. `segments` are those of a glob; a net scope has its one address."""

    kind: Literal["files", "net"]
    text: str
    segments: tuple[str, ...]


Scopes = str | Scope | Iterable[str | Scope]
"""One scope or several, as texts or parsed."""


class Inclusion(NamedTuple):
    """Whether a scope lies within others, and the shortest thing it could touch and they could not.

    `witness` is a path or `host:port`; it may hold any character, so quote it to show it. It is
    None where the scope lies within, and where that could not be decided within the budget.
    `states` is how many the search arrived at.
    """

    holds: bool
    witness: str | None = None
    states: int = 0


class Place(NamedTuple):
    """Where a walk down the tree of the workspace has come to, as `files:` scopes see it.

    `allowed` says that they allow this very path, `leads` that they may allow something below it.
    Names that are not Unicode are taken for a character that only wildcards match: what a program
    made under such a name lies below `files:src/**` all the same.
    """

    automaton: Automaton
    states: int
    allowed: bool = False
    leads: bool = True

    def below(self, name: str) -> "Place":
        """The place of that name in the folder that this place is."""
        if _has_surrogates(name):
            name = re.sub("[\ud800-\udfff]", "\ufffd", name)
        here = self.automaton.entered(self.states, name)
        inside = self.automaton.across(here)
        return Place(self.automaton, inside, bool(here & self.automaton.accept), bool(inside))


class Overlap(NamedTuple):
    """What two scopes share, as `overlaps` says it; `states` is how many the search arrived at."""

    path: str | None
    states: int = 0


@lru_cache(maxsize=16_384)
def parse(text: str) -> Scope:
    """The scope that the text writes.

    `ValueError` with a sentence on what is not canonical, and the canonical form if there is one.
    """
    kind, colon, rest = text.partition(":")
    if len(text) > MAX_LENGTH:
        raise ValueError(
            f"scope {text[:40]!r}... has {len(text)} characters, at most {MAX_LENGTH} may be"
        )
    if kind == "net":
        return _parse_net(text, rest)
    if kind == "files":
        if reason := fault(rest):
            raise ValueError(f"scope {text!r} is not canonical: {reason}{_instead(rest)}")
        return Scope("files", text, tuple(rest.split("/")))
    if colon:
        raise ValueError(
            f"scope {text!r} has the unknown type {kind!r}; write files:<glob> or net:<host>:<port>"
        )
    raise ValueError(f"scope {text!r} has no type{_instead(text)}")


def contains(parents: Iterable[str | Scope], child: str | Scope) -> Inclusion:
    """Whether the parents together allow all that the child does: exact, with a witness if not.

    Beyond its budget of states the answer is no, without a witness.
    """
    inner = _scope(child)
    outer = tuple(scope for scope in map(_scope, parents) if scope.kind == inner.kind)
    if any(_plainly_within(scope, inner) for scope in outer):
        return Inclusion(True)
    if inner.kind == "net":
        return Inclusion(False, inner.segments[0])
    return _decide(outer, inner)


def matches(scopes: Iterable[str | Scope], path: str) -> bool:
    """Whether one of the `files:` scopes allows the path, relative to the workspace.

    A path that is not canonical, or that is not Unicode, is allowed by none.
    """
    return not _has_surrogates(path) and _automaton(_files(scopes)).accepts(path)


def top(scopes: Iterable[str | Scope]) -> Place:
    """The workspace, as the `files:` scopes see it."""
    automaton = _automaton(_files(scopes))
    return Place(automaton, automaton.start)


def _files(scopes: Iterable[str | Scope]) -> tuple[Scope, ...]:
    return tuple(scope for scope in map(_scope, scopes) if scope.kind == "files")


def overlaps(a: Scopes, b: Scopes) -> str | None:
    """The shortest path (or a `host:port`) that both could touch; None if there is none.

    `UNDECIDED` where that could not be said within the budget: they may overlap.
    """
    return overlap(a, b).path


def overlap(a: Scopes, b: Scopes) -> Overlap:
    """The same as `overlaps`, and what it took."""
    ours, theirs = _scopes(a), _scopes(b)
    near = {s for s in ours if not all(_plainly_apart(s, t) for t in theirs)}
    if not near:
        return Overlap(None)
    files = tuple(scope for scope in ours if scope in near and scope.kind == "files")
    others = tuple(scope for scope in theirs if scope.kind == "files")
    product = Product(_automaton(files), _automaton(others), agree=True)
    try:
        path = product.shortest()
    except TooManyStatesError:
        return Overlap(UNDECIDED, product.arrivals)
    shared = min((scope.segments[0] for scope in near if scope.kind == "net"), default=None)
    return Overlap(shared if path is None else path, product.arrivals)


def _scope(scope: str | Scope) -> Scope:
    return parse(scope) if isinstance(scope, str) else scope


def _scopes(scopes: Scopes) -> tuple[Scope, ...]:
    return (_scope(scopes),) if isinstance(scopes, str | Scope) else tuple(map(_scope, scopes))


def _plainly_apart(one: Scope, two: Scope) -> bool:
    """Whether the two differ in kind, or in a segment before the first wildcard."""
    if "net" in (one.kind, two.kind):
        return one != two
    for ours, theirs in zip(one.segments, two.segments, strict=False):
        if is_wild(ours) or is_wild(theirs):
            return False
        if ours != theirs:
            return True
    return False


def _plainly_within(outer: Scope, inner: Scope) -> bool:
    """Whether the two are the same, or the outer's last `**` takes the rest of the inner."""
    if outer.text == inner.text:
        return True
    known = len(outer.segments) - 1
    rest = inner.segments[known:]
    return (
        outer.segments[-1] == ANY_SEGMENTS
        and bool(rest)
        and outer.segments[:known] == inner.segments[:known]
        and not any(segment.startswith(".") for segment in rest)
    )


@lru_cache(maxsize=4096)
def _decide(outer: tuple[Scope, ...], inner: Scope) -> Inclusion:
    product = Product(_automaton((inner,)), _automaton(outer), agree=False)
    try:
        witness = product.shortest()
    except TooManyStatesError:
        return Inclusion(False, None, product.arrivals)
    return Inclusion(witness is None, witness, product.arrivals)


@lru_cache(maxsize=1024)
def _automaton(scopes: tuple[Scope, ...]) -> Automaton:
    return Automaton(scope.segments for scope in scopes)


def _has_surrogates(path: str) -> bool:
    return not path.isascii() and any("\ud800" <= char <= "\udfff" for char in path)


def _instead(glob: str) -> str:
    better = mended(glob)
    return "" if better is None else f"; write {'files:' + better!r}"


def _parse_net(text: str, address: str) -> Scope:
    host, _, port = address.rpartition(":")
    if not re.fullmatch(_PORT, port) or int(port) > 65_535:
        raise ValueError(f"scope {text!r} needs a port from 1 to 65535; write net:<host>:<port>")
    if not re.fullmatch(_HOST, host) or (
        re.fullmatch(_ENDS_IN_NUMBER, host) and not _is_ipv4(host)
    ):
        lower = host.lower().removesuffix(".")
        better = (
            f"; write {f'net:{lower}:{port}'!r}"
            if lower != host and re.fullmatch(_HOST, lower)
            else ""
        )
        raise ValueError(
            f"scope {text!r} names no canonical host: lower-case letters, digits and hyphens"
            f" between dots, or four decimal numbers{better}"
        )
    return Scope("net", text, (address,))


def _is_ipv4(host: str) -> bool:
    octets = host.split(".")
    return len(octets) == 4 and all(re.fullmatch(_OCTET, o) and int(o) < 256 for o in octets)
