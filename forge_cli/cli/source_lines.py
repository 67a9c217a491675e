"""Lines of a manifest as a terminal can show them, with the cells that a place covers."""

from typing import NamedTuple

from forge_cli.cli.terminal import Terminal, width
from forge_cli.manifest.findings import Place

WIDTH = 90
"""Cells of source that are shown beside the gutter; of longer lines the part with the place is."""

_BEFORE = 30
_CUT = "..."
_TAB = "    "


class Excerpt(NamedTuple):
    """A shown line; `offset` and `length` are the cells of the place in it."""

    text: str
    offset: int
    length: int


class SourceLines:
    """The lines of a file's bytes; only CRLF and LF end one, as in places."""

    def __init__(self, data: bytes, terminal: Terminal) -> None:
        text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
        self._lines = text.split("\n")
        self._terminal = terminal

    def excerpt(self, place: Place) -> Excerpt:
        """The line a place begins on; a place of several lines is marked to the first one's end."""
        line = self._lines[place.line - 1] if place.line <= len(self._lines) else ""
        line = line.removesuffix("\r")
        end = place.end_column - 1 if place.end_line == place.line else len(line)
        start = min(place.column - 1, len(line))
        end = max(min(end, len(line)), start)
        cut = max(0, start - _BEFORE) if len(line) > WIDTH else 0
        before = self._shown(line[cut:start])
        token = self._shown(line[start : min(end, start + WIDTH)])
        after = self._shown(line[end : end + WIDTH])
        lead = _CUT if cut else ""
        shown = _clip(lead + before + token + after, more=end + WIDTH < len(line))
        offset = width(lead + before)
        return Excerpt(shown, offset, max(1, min(width(token), WIDTH - offset)))

    def _shown(self, text: str) -> str:
        return _TAB.join(map(self._terminal.safe, text.split("\t")))


def _clip(text: str, more: bool) -> str:
    """At most `WIDTH` cells; what is left out is marked."""
    if width(text) <= WIDTH and not more:
        return text
    limit = WIDTH - len(_CUT)
    kept = text[:limit]
    while width(kept) > limit:
        kept = kept[:-1]
    return kept + _CUT
