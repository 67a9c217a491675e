"""Events to plain data, with an own stack; what the language leaves out becomes findings."""

from collections.abc import Iterable
from typing import Any, Final

from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from forge_cli.manifest.findings import Finding, Path
from forge_cli.manifest.reading import refusals
from forge_cli.manifest.reading.scalars import OutOfRangeError, resolve
from forge_cli.manifest.reading.text import (
    MAX_FAULTS,
    REPLACEMENT,
    too_many_faults,
    unsafe_character,
)

PLAIN_STYLES = ("", None)


class StopError(Exception):
    """The text is not worth reading on; the finding that says why is recorded."""


class _Marker:
    """A value that no YAML has."""


_AWAITS_KEY: Final = _Marker()
_SKIP: Final = _Marker()
_HOLE: Final = _Marker()


class _Frame:
    """A collection that is still open; `key` is the key (or index) its next value goes to."""

    __slots__ = ("holed", "is_key", "key", "value")

    def __init__(self, value: dict[str, Any] | list[Any], is_key: bool) -> None:
        self.value = value
        self.is_key = is_key
        self.key: str | int | _Marker = 0 if isinstance(value, list) else _AWAITS_KEY
        self.holed = False


class Tree:
    """Collects one document. `root` is the plain data, `holes` the mappings that lack a faulty key.

    A faulty key or value is left out of its mapping. A list with a faulty element is left out
    whole, so that indexes stay those of the text.
    """

    def __init__(self, text: str, faults: list[Finding]) -> None:
        self.root: Any = None
        self.root_event: Any = None
        self.faults = faults
        self.holes: set[Path] = set()
        self._text = text
        self._dirty = bool(faults)
        self._stack: list[_Frame] = []
        self._nodes = 0
        self._takers = {
            ScalarEvent: self._scalar,
            MappingStartEvent: self._start,
            SequenceStartEvent: self._start,
            MappingEndEvent: self._end,
            SequenceEndEvent: self._end,
            AliasEvent: self._alias,
            DocumentStartEvent: self._document,
        }

    def take(self, events: Iterable[Any]) -> None:
        """Adds the events; `StopError` where reading on makes no sense."""
        takers = self._takers
        for event in events:
            if take := takers.get(type(event)):
                take(event)

    def record(self, findings: Iterable[Finding]) -> None:
        """Adds findings; `StopError` at one too many."""
        for finding in findings:
            self.faults.append(finding)
            if len(self.faults) >= MAX_FAULTS:
                self.faults.append(too_many_faults(finding.spot.place))
                raise StopError

    def _document(self, event: Any) -> None:
        if self.root_event is not None:
            self.record([refusals.second_document(event)])
            raise StopError
        self.record(refusals.directives(event, self._text))

    def _scalar(self, event: Any) -> None:
        self._count(event)
        frame = self._stack[-1] if self._stack else None
        if frame is not None and frame.key is _AWAITS_KEY:
            frame.key = self._key(event, frame)
        else:
            self._add(self._value(event), event)

    def _value(self, event: Any) -> Any:
        """The value of a scalar, or `_HOLE` if it has none."""
        if event.anchor is not None or event.tag is not None:
            self.record(refusals.properties(event, self._text))
            if event.tag is not None:
                return _HOLE
        if event.style not in PLAIN_STYLES:
            if event.style == '"' and unsafe_character(event.value):
                self.record([refusals.unsafe_escape(event, self._text)])
            return event.value
        try:
            return resolve(event.value)
        except OutOfRangeError as error:
            self.record([refusals.number_out_of_range(event, str(error))])
            return _HOLE

    def _key(self, event: Any, frame: _Frame) -> str | _Marker:
        """The key that a scalar is, or `_SKIP` if it and its value are left out."""
        known = len(self.faults)
        value = None
        if event.value == "<<" and event.style in PLAIN_STYLES:
            self.record([refusals.merge_key(event)])
        else:
            value = self._value(event)
        if len(self.faults) > known or (self._dirty and REPLACEMENT in event.value):
            return self._skip()
        if not isinstance(value, str):
            self.record([refusals.scalar_as_key(event, value)])
            return self._skip()
        if len(value) > refusals.MAX_KEY:
            self.record([refusals.long_key(event)])
            return self._skip()
        if value in frame.value:
            path = self._path()
            first = None if path is None else (*path, value)
            self.record([refusals.duplicate_key(event, first)])
            return _SKIP
        return value

    def _start(self, event: Any) -> None:
        self._count(event)
        if len(self._stack) >= refusals.MAX_DEPTH:
            self.record([refusals.too_deep(event)])
            raise StopError
        if event.anchor is not None or event.tag is not None:
            self.record(refusals.properties(event, self._text))
        is_mapping = type(event) is MappingStartEvent
        is_key = bool(self._stack) and self._stack[-1].key is _AWAITS_KEY
        if is_key and not any(frame.is_key for frame in self._stack):
            what = "a mapping" if is_mapping else "a list"
            self.record([refusals.collection_as_key(event, self._text, what)])
        if not self._stack:
            self.root_event = event
        self._stack.append(_Frame({} if is_mapping else [], is_key))

    def _end(self, event: Any) -> None:
        frame = self._stack.pop()
        if frame.is_key:
            self._stack[-1].key = self._skip()
        else:
            self._add(_HOLE if frame.holed else frame.value, event)

    def _alias(self, event: Any) -> None:
        self._count(event)
        self.record([refusals.alias(event)])
        if self._stack and self._stack[-1].key is _AWAITS_KEY:
            self._stack[-1].key = self._skip()
        else:
            self._add(_HOLE, event)

    def _add(self, value: Any, event: Any) -> None:
        if not self._stack:
            self.root = None if value is _HOLE else value
            self.root_event = self.root_event or event
            return
        frame = self._stack[-1]
        if isinstance(frame.value, list):
            frame.holed = frame.holed or value is _HOLE
            frame.value.append(value)
            frame.key = len(frame.value)
            return
        if isinstance(frame.key, str) and value is not _HOLE:
            frame.value[frame.key] = value
        frame.key = _AWAITS_KEY
        if value is _HOLE:
            self._skip()

    def _skip(self) -> _Marker:
        """Notes that the open mapping, which awaits a key, lacks one."""
        path = self._path()
        if path is not None:
            self.holes.add(path)
        return _SKIP

    def _path(self) -> Path | None:
        """The open collection's path; None if it is left out itself."""
        keys = [frame.key for frame in self._stack[:-1]]
        path = tuple(key for key in keys if not isinstance(key, _Marker))
        return path if len(path) == len(keys) else None

    def _count(self, event: Any) -> None:
        self._nodes += 1
        if self._nodes > refusals.MAX_NODES:
            self.record([refusals.too_many_nodes(event)])
            raise StopError
