"""What a stream can show: colour, characters, and how much is said."""

import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import IO, NamedTuple, TextIO

GLYPHS = "│┆─╰└├█░"
ASCII_TWINS = str.maketrans(GLYPHS, "|:-``|#.")
"""One character for one, so that both outputs have the same shape."""

COLORS = ("auto", "always", "never")
_STYLES = {"red": "31", "green": "32", "yellow": "33", "cyan": "36", "bold": "1", "dim": "2"}


class Terminal(NamedTuple):
    """The decisions for one stream.

    `live` is whether a line that was written can be redrawn, `encoding` what its bytes are in.
    """

    color: bool = False
    ascii: bool = False
    live: bool = False
    encoding: str = "utf-8"

    @classmethod
    def of(
        cls, stream: IO[str], color: str = "auto", environ: Mapping[str, str] = os.environ
    ) -> "Terminal":
        """Decides from `--color`, then NO_COLOR, then FORCE_COLOR, then the stream itself."""
        encoding = getattr(stream, "encoding", None) or "ascii"
        plain = _wants_ascii(environ) or not _encodes(GLYPHS, encoding)
        live = stream.isatty() and environ.get("TERM") != "dumb"
        return cls(_has_color(live, color, environ), plain, live, encoding)

    def ink(self, style: str, text: str) -> str:
        """The text in a colour or weight of the table; as it is where there is none."""
        code = _STYLES.get(style)
        return f"\x1b[{code}m{text}\x1b[0m" if self.color and code and text else text

    def fit(self, text: str) -> str:
        """The text with forge's own drawing characters as this stream can show them."""
        return text.translate(ASCII_TWINS) if self.ascii else text

    def safe(self, text: str) -> str:
        """Foreign text without anything that moves a cursor, hides or cannot be encoded.

        Such characters become escapes (`\\x1b`, `\\u202e`, of undecodable bytes `\\xff`).
        """
        if text.isascii() and text.isprintable():
            return text
        return "".join(map(self._shown, text))

    def data(self, text: str) -> str:
        """A text of JSON with JSON's own escapes for what this stream cannot encode."""
        if text.isascii() or _encodes(text, self.encoding):
            return text
        from json import dumps

        return "".join(c if c.isascii() else dumps(c)[1:-1] for c in text)

    def _shown(self, character: str) -> str:
        if character.isprintable() and (character.isascii() or _encodes(character, self.encoding)):
            return character
        if "\udc80" <= character <= "\udcff":
            return f"\\x{ord(character) - 0xDC00:02x}"
        return character.encode("unicode_escape").decode("ascii")


def in_actions(environ: Mapping[str, str]) -> bool:
    """Whether this is a step of GitHub Actions, which reads commands in what it prints."""
    return environ.get("GITHUB_ACTIONS") == "true"


def width(text: str) -> int:
    """Cells that a printable text takes in a terminal (UAX 11)."""
    if text.isascii():
        return len(text)
    return sum(_cells(character) for character in text)


def prepare_streams() -> None:
    """Makes standard output and error write escapes where they cannot encode a character.

    With FORGE_ASCII they encode nothing but ASCII, whoever writes to them. Where one of them was
    closed before the start, what is written to it is lost.
    """
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    encoding = {"encoding": "ascii"} if _wants_ascii(os.environ) else {}
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(errors="backslashreplace", **encoding)


def _nowhere() -> TextIO:
    return open(os.devnull, "w")


def _cells(character: str) -> int:
    import unicodedata

    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _encodes(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _wants_ascii(environ: Mapping[str, str]) -> bool:
    return environ.get("FORGE_ASCII", "") not in ("", "0")


def _has_color(live: bool, color: str, environ: Mapping[str, str]) -> bool:
    if color != "auto":
        return color == "always"
    if environ.get("NO_COLOR"):
        return False
    return live or environ.get("FORCE_COLOR", "") not in ("", "0")


def write(stream: IO[str], lines: Iterable[str]) -> None:
    """Writes lines; what they are made from may fail between two of them."""
    for line in lines:
        stream.write(line + "\n")
    stream.flush()


def complain(sentence: str, prefix: str = "forge: error: ") -> None:
    """A line on standard error, safe to look at; lost if nobody can read it."""
    terminal = Terminal.of(sys.stderr, "never")
    with suppress(OSError, ValueError):
        sys.stderr.write(f"{prefix}{terminal.safe(sentence)}\n")
        sys.stderr.flush()
