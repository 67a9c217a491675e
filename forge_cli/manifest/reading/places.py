"""Paths of the plain data back to places of the text; asked only when there are findings."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from yaml.error import YAMLError
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    MappingStartEvent,
    ScalarEvent,
)

from forge_cli.manifest.findings import TOP, Finding, Path, Place, Spot
from forge_cli.manifest.reading.events import events, place_of, place_within
from forge_cli.manifest.reading.refusals import start_of
from forge_cli.manifest.reading.scalars import OutOfRangeError, resolve
from forge_cli.manifest.reading.text import decode
from forge_cli.manifest.reading.tree import PLAIN_STYLES


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a path's value is, and how it is written.

    `key` is None for elements of lists and the top level. `value` is the whole value, but of block
    collections only the first character. `raw` is the source of what `value` covers, `raw_key` the
    key's; `style` is `'`, `"`, `|`, `>`, or empty for plain scalars and collections. `exact` is
    False if the path is not there and this is its nearest ancestor.
    """

    value: Place
    key: Place | None = None
    raw: str = ""
    raw_key: str = ""
    style: str = ""
    is_block: bool = False
    exact: bool = True


def places(data: bytes, paths: Collection[Path]) -> dict[Path, Placed]:
    """The place of each path in a manifest's bytes; a path that is not there falls back.

    Of equal keys the first counts, as in the plain data.
    """
    text, _ = decode(data)
    walk = _Walk(text, paths)
    try:
        for event in events(text):
            walk.take(event)
    except YAMLError:
        pass  # The syntax is a finding already; what stands before it has places.
    return {path: _nearest(walk.found, path) for path in paths}


def locate(finding: Finding, data: bytes) -> Finding:
    """The finding with the place of each of its spots."""
    return locate_all([finding], data)[0]


def locate_all(
    findings: Iterable[Finding], data: bytes, others: Mapping[str, bytes] | None = None
) -> list[Finding]:
    """The findings, in their order, with the places of all their spots, by one pass over a file.

    `data` is the manifest, `others` are the files that spots name.
    """
    findings = list(findings)
    wanted: dict[str, set[Path]] = {}
    for finding in findings:
        for spot in (finding.spot, *finding.related):
            if spot.place is None:
                wanted.setdefault(spot.file, set()).add(spot.path)
    if not wanted:
        return findings
    texts = {"": data, **(others or {})}
    tables = {file: places(texts[file], paths) for file, paths in wanted.items()}
    return [
        finding._replace(
            spot=_placed(finding.spot, tables),
            related=tuple(_placed(spot, tables) for spot in finding.related),
        )
        for finding in findings
    ]


def _placed(spot: Spot, tables: Mapping[str, Mapping[Path, Placed]]) -> Spot:
    if spot.place:
        return spot
    return spot._replace(place=_place(spot, tables[spot.file][spot.path]))


def _place(spot: Spot, placed: Placed) -> Place:
    if placed.key and (spot.part == "key" or not placed.exact or _has_no_extent(placed)):
        return _token(spot.token, placed.raw_key, placed.key)
    return _token(spot.token, placed.raw, placed.value)


def _has_no_extent(placed: Placed) -> bool:
    """A caret under the value would point at nothing, or at a key inside of it."""
    place = placed.value
    return placed.is_block or (place.line, place.column) == (place.end_line, place.end_column)


def _token(token: str | None, raw: str, place: Place) -> Place:
    """The part `token` of a text that stands at `place`; all of it if it is not written so."""
    offset = raw.find(token) if token else -1
    if token is None or offset < 0:
        return place
    line = place.line + raw.count("\n", 0, offset)
    line_start = raw.rfind("\n", 0, offset)
    column = offset - line_start if line_start >= 0 else place.column + offset
    return Place(line, column, line, column + len(token))


def _nearest(found: dict[Path, Placed], path: Path) -> Placed:
    for length in range(len(path), -1, -1):
        if placed := found.get(path[:length]):
            return placed if length == len(path) else replace(placed, exact=False)
    return Placed(TOP, exact=False)


class _Frame:
    """An open collection on the way to a wanted path."""

    __slots__ = (
        "awaits_key",
        "children",
        "index",
        "is_mapping",
        "key_event",
        "path",
        "seen",
        "start",
    )

    def __init__(self, event: Any, path: Path, children: dict[Any, Any], key_event: Any) -> None:
        self.start = event
        self.path = path
        self.children = children
        self.key_event = key_event
        self.is_mapping = type(event) is MappingStartEvent
        self.awaits_key: Any = None
        self.index = 0
        self.seen: set[str] = set()


class _Walk:
    """Follows events along the wanted paths (`found`) and counts its way past all others."""

    def __init__(self, text: str, paths: Collection[Path]) -> None:
        self.found: dict[Path, Placed] = {}
        self._text = text
        self._wanted: dict[Any, Any] = {}
        for path in paths:
            children = self._wanted
            for key in path:
                children = children.setdefault(key, {})
        self._stack: list[_Frame] = []
        self._depth = 0

    def take(self, event: Any) -> None:
        """Adds one event."""
        if self._depth:
            if isinstance(event, CollectionStartEvent):
                self._depth += 1
            elif isinstance(event, CollectionEndEvent):
                self._depth -= 1
        elif isinstance(event, ScalarEvent | AliasEvent | CollectionStartEvent):
            self._node(event)
        elif isinstance(event, CollectionEndEvent):
            self._end(event)

    def _node(self, event: Any) -> None:
        frame = self._stack[-1] if self._stack else None
        if frame is None:
            if not self.found:
                self._value(event, (), self._wanted, None)
        elif not frame.is_mapping:
            self._value(event, (*frame.path, frame.index), frame.children.get(frame.index), None)
            frame.index += 1
        elif frame.awaits_key is None:
            frame.awaits_key = event
            self._depth = int(isinstance(event, CollectionStartEvent))
        else:
            key_event, frame.awaits_key = frame.awaits_key, None
            key = _key_of(event=key_event, seen=frame.seen, wanted=frame.children)
            children = None if key is None else frame.children.get(key)
            self._value(event, (*frame.path, key), children, key_event)

    def _value(self, event: Any, path: Any, children: dict[Any, Any] | None, key: Any) -> None:
        is_collection = isinstance(event, CollectionStartEvent)
        if children is None:
            self._depth = int(is_collection)
        elif is_collection:
            # Written now for a text that ends inside of it, and again at its end.
            self.found[path] = self._placed(event, event, key)
            self._stack.append(_Frame(event, path, children, key))
        else:
            self.found[path] = self._placed(event, event, key)

    def _end(self, event: Any) -> None:
        frame = self._stack.pop()
        self.found[frame.path] = self._placed(frame.start, event, frame.key_event)

    def _placed(self, start: Any, end: Any, key: Any) -> Placed:
        is_block = isinstance(start, CollectionStartEvent) and not start.flow_style
        if is_block:
            value, raw = start_of(start), ""
        else:
            raw = self._text[start.start_mark.index : end.end_mark.index].rstrip()
            value = _cover(self._text, start, raw)
        return Placed(
            value=value,
            key=place_of(key) if key else None,
            raw=raw,
            raw_key=self._text[key.start_mark.index : key.end_mark.index] if key else "",
            style=getattr(start, "style", None) or "",
            is_block=is_block,
        )


def _key_of(event: Any, seen: set[str], wanted: dict[Any, Any]) -> str | None:
    """The key an event is in the plain data; None if it is not there or nobody asks for it."""
    if not isinstance(event, ScalarEvent) or event.value not in wanted or event.value in seen:
        return None
    if event.style in PLAIN_STYLES:
        try:
            if not isinstance(resolve(event.value), str):
                return None
        except OutOfRangeError:
            return None
    seen.add(event.value)
    return str(event.value)


def _cover(text: str, start: Any, raw: str) -> Place:
    first = place_within(text, start.start_mark, start.start_mark.index, len(raw))
    if "\n" not in raw:
        return first
    end_line = first.line + raw.count("\n")
    return Place(first.line, first.column, end_line, len(raw) - raw.rfind("\n"))
