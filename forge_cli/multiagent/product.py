"""The product of two automata over paths: the shortest path on which they agree or differ."""

from collections.abc import Iterator
from itertools import islice
from typing import Literal

from forge_cli.multiagent.automaton import Automaton

MAX_STATES = 20_000
"""States that a search arrives at, known ones included, before it gives up (some 50 ms)."""

_COMPARED = 32
"""Sets that a new one is held against; more would save states, but cost time squared."""

_READABLE = "xyzabcdefghijklmnopqrstuvw0123456789_-ABCDEFGHIJKLMNOPQRSTUVWXYZ @#%+=,"

Spot = Literal["start", "dot", "dots", "inside"]
"""Where a path stands: at a segment's start, behind its leading `.` or `..`, or further in."""

Node = tuple[Spot, int, int, int, str]
"""Spot, one state of the leader, the other's states, the node before and the character between."""


class TooManyStatesError(Exception):
    """The search has arrived at `MAX_STATES` states and knows no answer."""


class Product:
    """A breadth-first search for the shortest path that the leader accepts.

    `agree` says whether the other automaton must accept it, too, or must not. Only canonical paths
    count: no empty segment, no `.` and no `..`.
    """

    __slots__ = (
        "_agree",
        "_alphabet",
        "_arrivals",
        "_leader",
        "_nodes",
        "_other",
        "_reached",
        "_sets",
    )

    def __init__(self, leader: Automaton, other: Automaton, agree: bool) -> None:
        self._leader = leader
        self._other = other
        self._agree = agree
        self._arrivals = 0
        self._alphabet = list(_alphabet(leader, other))
        self._nodes: list[Node] = []
        self._reached: dict[tuple[Spot, int], int] = {}
        self._sets: dict[tuple[Spot, int], dict[int, None]] = {}

    @property
    def arrivals(self) -> int:
        """States that the search has arrived at so far."""
        return self._arrivals

    def shortest(self) -> str | None:
        """The path, or None if there is none; `TooManyStatesError` if that is too hard to say."""
        self._enter("start", self._leader.start, self._other.start, -1, "")
        for place, (spot, state, others, _, _) in enumerate(self._nodes):
            if spot == "inside" and state & self._leader.accept and self._suits(others):
                return self._path(place)
            self._expand(place)
        return None

    def _suits(self, others: int) -> bool:
        return bool(others & self._other.accept) == self._agree

    def _expand(self, place: int) -> None:
        leader, other = self._leader, self._other
        spot, state, others, _, _ = self._nodes[place]
        if spot == "inside":
            self._enter("start", leader.across(state), other.across(others), place, "/")
        elif spot == "start":
            self._enter("dot", leader.led(state), other.led(others), place, ".")
        tried = set()
        for char, ours, theirs in self._alphabet:
            if char == "." and spot == "start":
                continue
            after: Spot = "dots" if char == "." and spot == "dot" else "inside"
            move = (after, state & ours, others & theirs)
            if move in tried:
                continue
            tried.add(move)
            led_to = leader.within(state, ours)
            self._enter(after, led_to, other.within(others, theirs), place, char)

    def _enter(self, spot: Spot, states: int, others: int, before: int, char: str) -> None:
        """Remember what a character leads to, one node for each state of the leader."""
        while states:
            state = states & -states
            states ^= state
            self._arrivals += 1
            if self._arrivals > MAX_STATES:
                raise TooManyStatesError
            fresh = self._fresh(spot, state, others)
            if fresh is not None:
                self._nodes.append((spot, state, fresh, before, char))

    def _fresh(self, spot: Spot, state: int, others: int) -> int | None:
        """What of the other's states is still to be followed; None if nothing needs to be.

        To agree it takes one state that accepts, so each is followed once. To differ, all must
        fail: a set that holds one seen before behind the same state fails no earlier than that one
        (an antichain, as in De Wulf, Doyen, Henzinger and Raskin, CAV 2006).
        """
        key = (spot, state)
        if self._agree:
            known = self._reached.get(key, 0)
            self._reached[key] = known | others
            return others & ~known or None
        sets = self._sets.setdefault(key, {})
        if others in sets or any(s & others == s for s in islice(sets, _COMPARED)):
            return None
        sets[others] = None
        return others

    def _path(self, place: int) -> str:
        chars = []
        while place >= 0:
            _, _, _, place, char = self._nodes[place]
            chars.append(char)
        return "".join(reversed(chars))


def _alphabet(leader: Automaton, other: Automaton) -> Iterator[tuple[str, int, int]]:
    """A character, the most readable, for each pair of sets of states that characters move.

    A dot stands for itself, because what it moves depends on where it is.
    """
    edges = [chr(code) for code in sorted({0} | leader.edges() | other.edges())]
    edges.sort(key=str.isprintable, reverse=True)
    told_apart = set()
    for char in [*_READABLE, *edges]:
        moves = (leader.moved_by(char), other.moved_by(char))
        if moves not in told_apart and char not in "./":
            told_apart.add(moves)
            yield char, *moves
    yield ".", leader.moved_by("."), other.moved_by(".")
