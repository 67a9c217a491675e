"""Faults made in a manifest's text, which know themselves where they are and which rule is broken.

Nothing of forge takes part: places are those of PyYAML's nodes, moved by what was edited.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

import yaml

from forge_cli.manifest.findings import Path

MARK = "\N{POSITION INDICATOR}"
"""Stands in the text of an edit where its fault is; it is taken out."""


class Edit(NamedTuple):
    """A new text for what stands from `start` to `end` (offsets in code points)."""

    start: int
    end: int
    text: str


class Mutation(NamedTuple):
    """A fault: the rule that it breaks, once for each mark in its edits, in their order."""

    name: str
    rule: str
    edits: tuple[Edit, ...]


class Expected(NamedTuple):
    """Where a finding is to be: 1-based, columns in code points."""

    line: int
    column: int
    rule: str


class Written(NamedTuple):
    """A value of the manifest as it is written: from `start` to `end`, `key` likewise."""

    node: yaml.Node
    start: int
    end: int
    key: tuple[int, int] | None = None

    @property
    def is_block(self) -> bool:
        """Whether it is a mapping or list without braces or brackets."""
        return isinstance(self.node, yaml.CollectionNode) and not self.node.flow_style


class Text:
    """The text of a manifest, and where in it everything is written."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.places: dict[Path, Written] = {}
        self._enter((), yaml.compose(text, yaml.SafeLoader), None)

    def _enter(self, path: Path, node: Any, key: tuple[int, int] | None) -> int:
        """Takes in a node and what is below; returns the offset where it ends."""
        ends: list[int] = [node.start_mark.index]
        if isinstance(node, yaml.MappingNode):
            for name, value in node.value:
                span = (name.start_mark.index, name.end_mark.index)
                ends.append(self._enter((*path, name.value), value, span))
        elif isinstance(node, yaml.SequenceNode):
            for index, value in enumerate(node.value):
                ends.append(self._enter((*path, index), value, None))
        if isinstance(node, yaml.ScalarNode) or node.flow_style:
            # Block scalars end behind their last line break.
            ends.append(len(self.text[: node.end_mark.index].rstrip()))
        self.places[path] = Written(node, node.start_mark.index, max(ends), key)
        return max(ends)

    @cached_property
    def data(self) -> Any:
        """The manifest as plain data, all scalars as text."""
        return yaml.load(self.text, yaml.BaseLoader)

    def source(self, path: Path) -> str:
        """What is written as the value."""
        place = self.places[path]
        return self.text[place.start : place.end]

    def key(self, path: Path, text: str) -> Edit:
        """Another key."""
        start, end = self.places[path].key or (0, 0)
        return Edit(start, end, text)

    def at_key(self, path: Path) -> Edit:
        """No change: the fault is at the key, or at the top."""
        place = self.places[path]
        start = place.start if place.key is None else place.key[0]
        return Edit(start, start, MARK)

    def at(self, path: Path) -> Edit:
        """No change: the fault is at the value."""
        start = self.places[path].start
        return Edit(start, start, MARK)

    def value(self, path: Path, text: str) -> Edit:
        """Another value, on the line of its key."""
        place = self.places[path]
        if place.is_block and place.key is not None:
            return Edit(place.key[1] + 1, place.end, f" {text}")
        return Edit(place.start, place.end, text)

    def inside(self, path: Path, old: str, new: str) -> Edit:
        """Another text for the first `old` in a value."""
        start = self.places[path].start + self.source(path).index(old)
        return Edit(start, start + len(old), new)

    def beside(self, path: Path, text: str) -> Edit:
        """A further key and value behind those at the path, or a further entry behind that one."""
        place, above = self.places[path], self.places[path[:-1]]
        if not above.is_block:
            return Edit(place.end, place.end, f", {text}")
        column = place.start if place.key is None else place.key[0]
        indent = column - (self.text.rfind("\n", 0, column) + 1)
        if place.key is None:
            return Edit(place.end, place.end, f"\n{' ' * (indent - 2)}- {text}")
        return Edit(place.end, place.end, f"\n{' ' * indent}{text}")

    def into(self, path: Path, text: str) -> Edit:
        """A further entry or pair at the end of a list or mapping."""
        node = self.places[path].node
        if not node.value:
            return Edit(self.places[path].start + 1, self.places[path].start + 1, text)
        last = list(self.data_at(path))[-1] if isinstance(node, yaml.MappingNode) else -1
        step = len(node.value) - 1 if last == -1 else last
        return self.beside((*path, step), text)

    def without(self, path: Path) -> Edit:
        """No key and value any more, or no entry, of several."""
        start, end = self.places[path].start, self.places[path].end
        start = min(start, (self.places[path].key or (start,))[0])
        if self.places[path[:-1]].is_block:
            line = self.text.find("\n", end)
            return Edit(
                self.text.rfind("\n", 0, start) + 1, len(self.text) if line < 0 else line + 1, ""
            )
        comma = self.text.find(",", end)
        if self.text[end:comma].strip() == "":
            return Edit(start, comma + 1, "")
        return Edit(self.text.rfind(",", 0, start), end, "")

    def data_at(self, path: Path) -> Any:
        """The plain data at a path."""
        found = self.data
        for step in path:
            found = found[step]
        return found


def broken(text: str, mutations: Iterable[Mutation]) -> tuple[str, list[Expected]]:
    """The text with all of the faults, and what is to be found in it, in order."""
    edits = sorted((edit, each.rule) for each in mutations for edit in each.edits)
    pieces: list[str] = []
    marks: list[tuple[int, str]] = []
    done = length = 0
    for edit, rule in edits:
        for piece in (text[done : edit.start], *_split(edit.text)):
            if piece == MARK:
                marks.append((length, rule))
            else:
                pieces.append(piece)
                length += len(piece)
        done = edit.end
    whole = "".join([*pieces, text[done:]])
    return whole, sorted(_expected(whole, offset, rule) for offset, rule in marks)


def _split(text: str) -> Iterator[str]:
    before, mark, after = text.partition(MARK)
    yield before
    if mark:
        yield mark
        yield from _split(after)


def _expected(text: str, offset: int, rule: str) -> Expected:
    line_start = text.rfind("\n", 0, offset) + 1
    return Expected(text.count("\n", 0, offset) + 1, offset - line_start + 1, rule)
