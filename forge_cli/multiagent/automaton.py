"""Automata over paths: what a set of globs matches, one character at a time."""

from collections.abc import Iterable

from forge_cli.multiagent.glob import ANY_SEGMENTS, QUESTION, STAR, Token, tokens


class Automaton:
    """The automaton of a set of globs, each given as its segments.

    A set of states is an integer with a bit for each position in a glob. A step moves all of them
    at once, so that matching is linear in the path and never goes back.
    """

    __slots__ = (
        "_any", "_back", "_lead", "_one", "_over", "_past", "_several", "_slash", "_stay",
        "accept", "start",
    )  # fmt: skip

    def __init__(self, globs: Iterable[tuple[str, ...]]) -> None:
        self.accept = self._any = self._back = self._lead = 0
        self._over = self._past = self._slash = self._stay = 0
        self._one: dict[str, int] = {}
        self._several: list[tuple[int, Token]] = []
        start, bit = 0, 1
        for segments in globs:
            start |= bit
            for number, segment in enumerate(segments, 1):
                add = self._add_any_segments if segment == ANY_SEGMENTS else self._add_segment
                bit = add(segment, bit, number == len(segments))
        self.start = self._closed(start)

    def _add_segment(self, segment: str, first: int, last: bool) -> int:
        """Lay a segment out from the first bit on; returns the bit that follows it."""
        bit = first
        for token in tokens(segment):
            if token is STAR:
                self._stay |= bit
                self._past |= bit
            elif token is QUESTION:
                self._any |= bit
            elif token.wild:
                self._several.append((bit, token))
            else:
                char = token.ranges[0][0]
                self._one[char] = self._one.get(char, 0) | bit
            bit <<= 1
        if segment.startswith("."):
            self._lead |= first
        if last:
            self.accept |= bit
        else:
            self._slash |= bit
        return bit << 1

    def _add_any_segments(self, _: str, before: int, last: bool) -> int:
        """`**` has two states: before a segment, where it may also end, and inside one."""
        inside = before << 1
        self._any |= before
        self._stay |= inside
        self._back |= inside
        if last:
            self.accept |= inside
        else:
            self._over |= before
        return before << 2

    def _closed(self, states: int) -> int:
        """The states and those that are reached from them without a character."""
        while True:
            more = states | (states & self._past) << 1 | (states & self._over) << 2
            if more == states:
                return states
            states = more

    def edges(self) -> set[int]:
        """Code points at which the set of states that a character moves may change."""
        found = {code for char in self._one for code in (ord(char), ord(char) + 1)}
        for _, token in self._several:
            for low, high in token.ranges:
                found |= {ord(low), ord(high) + 1}
        return found

    def moved_by(self, char: str) -> int:
        """The states that the character moves forward, within a segment."""
        states = self._any | self._one.get(char, 0)
        for bit, token in self._several:
            if any(low <= char <= high for low, high in token.ranges):
                states |= bit
        return states

    def within(self, states: int, moved: int) -> int:
        """The states after a character within a segment that moves those (`moved_by`)."""
        return self._closed((states & moved) << 1 | states & self._stay)

    def across(self, states: int) -> int:
        """The states after a `/`."""
        return self._closed((states & self._slash) << 1 | (states & self._back) >> 1)

    def led(self, states: int) -> int:
        """The states after a dot at the start of a segment: only a literal one matches it."""
        return self._closed((states & self._lead) << 1)

    def entered(self, states: int, segment: str) -> int:
        """The states after all of a segment; none for what is no name of a file."""
        if segment in ("", ".", ".."):
            return 0
        rest = segment
        if segment[0] == ".":
            states, rest = self.led(states), segment[1:]
        for char in rest:
            states = self.within(states, self.moved_by(char))
        return states

    def accepts(self, path: str) -> bool:
        """Whether one of the globs matches the relative path; none matches one with `.` or `..`."""
        first, *others = path.split("/")
        states = self.entered(self.start, first)
        for segment in others:
            states = self.entered(self.across(states), segment)
        return bool(states & self.accept)
