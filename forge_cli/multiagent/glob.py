"""The grammar of globs: which texts are canonical, and what each segment is made of."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

MAX_LENGTH = 1024
"""Characters of a whole scope, its type included."""

MAX_STARS = 4
"""`*` in one segment."""

MAX_WILD_SEGMENTS = 8
"""Segments that hold a wildcard, `**` included."""

ANY_SEGMENTS = "**"

_FORBIDDEN = r"[\\{}!~]"
_UNSEEN = (  # Default_Ignorable_Code_Point (Unicode 15.1) beyond category Cf
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
_UNSEEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_ADVICE = {
    "\\": "'/' is the separator",
    "{": "write one scope for each alternative",
    "}": "write one scope for each alternative",
    "!": "a scope says what is allowed, there is no deny",
    "~": "a scope lies below the workspace",
}


class Token(NamedTuple):
    """One part of a segment: a character out of `ranges` (ends included), once or, if it `repeats`,
    any number of times. `wild` tokens never match a leading dot.
    """

    ranges: tuple[tuple[str, str], ...]
    wild: bool = True
    repeats: bool = False


_ANY = ((chr(0), chr(0x10FFFF)),)
QUESTION = Token(_ANY)
STAR = Token(_ANY, repeats=True)


@lru_cache(maxsize=4096)
def tokens(segment: str) -> tuple[Token, ...]:
    """The tokens of a segment other than `**`; `ValueError` for a class that is none."""
    return tuple(_scan(segment))


def _scan(segment: str) -> Iterator[Token]:
    place = 0
    while place < len(segment):
        char = segment[place]
        place += 1
        if char == "*":
            yield STAR
        elif char == "?":
            yield QUESTION
        elif char == "[":
            end = segment.find("]", place + 1)
            if end < 0:
                raise ValueError(f"'[' in {segment!r} opens no class; write [[] for the character")
            yield Token(_ranges(segment[place:end], segment))
            place = end + 1
        else:
            yield Token(((char, char),), wild=False)


def _ranges(body: str, segment: str) -> tuple[tuple[str, str], ...]:
    """What stands between the brackets: characters and `a-z`; `-` first or last is itself."""
    if body.startswith("^"):
        raise ValueError(f"[{body}] in {segment!r} is a denial; write what is allowed")
    ranges = []
    place = 0
    while place < len(body):
        first = last = body[place]
        place += 1
        if place + 1 < len(body) and body[place] == "-":
            last = body[place + 1]
            place += 2
        if first > last:
            raise ValueError(f"{first}-{last} in {segment!r} is backwards; write {last}-{first}")
        ranges.append((first, last))
    return tuple(ranges)


def fault(glob: str) -> str | None:
    """Why the text is not a canonical glob, as the end of a sentence; None if it is one."""
    return _unsafe(glob) or _misplaced(glob)


def mended(glob: str) -> str | None:
    """The canonical glob that the text stands for, if that can be said."""
    text = unicodedata.normalize("NFC", glob).replace("\\", "/")
    segments = [s for s in text.split("/") if s not in ("", ".")]
    if text.endswith(("/", "/.")) or not segments:
        segments.append(ANY_SEGMENTS)
    text = "/".join(s if s == ANY_SEGMENTS else re.sub(r"\*{2,}", "*", s) for s in segments)
    return None if fault(text) else text


def is_wild(segment: str) -> bool:
    """Whether the segment holds a wildcard."""
    return "*" in segment or "?" in segment or "[" in segment


def _unsafe(glob: str) -> str | None:
    if found := re.search(_FORBIDDEN, glob):
        return f"it holds {found[0]!r}: {_ADVICE[found[0]]}"
    if glob.isascii() and glob.isprintable():
        return None
    for char in glob:
        if unicodedata.category(char) in _UNSEEN_CATEGORIES or re.match(_UNSEEN, char):
            return f"it holds the invisible character U+{ord(char):04X}"
    if not unicodedata.is_normalized("NFC", glob):
        return "it is not in Unicode's composed form (NFC)"
    return None


def _misplaced(glob: str) -> str | None:
    segments = glob.split("/")
    if glob.startswith("/"):
        return "it is absolute, and a scope lies below the workspace"
    for segment in segments:
        if segment in ("", ".", ".."):
            return f"it has the segment {segment!r}" if segment else "it has an empty segment"
    wild = [segment for segment in segments if is_wild(segment)]
    if len(wild) > MAX_WILD_SEGMENTS:
        return f"{len(wild)} of its segments hold wildcards, at most {MAX_WILD_SEGMENTS} may"
    return next(filter(None, map(_crowded, wild)), None)


def _crowded(segment: str) -> str | None:
    if segment == ANY_SEGMENTS:
        return None
    try:
        stars = [token is STAR for token in tokens(segment)]
    except ValueError as error:
        return str(error)
    if any(one and other for one, other in pairwise(stars)):
        return f"'**' in {segment!r} is not a whole segment"
    if sum(stars) > MAX_STARS:
        return f"{segment!r} holds {sum(stars)} '*', at most {MAX_STARS} may"
    return None
