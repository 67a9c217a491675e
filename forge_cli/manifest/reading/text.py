"""Bytes to text: what is not UTF-8, and characters that a reader cannot see, are findings."""

import re
from collections.abc import Iterator
from itertools import islice

from forge_cli.manifest.findings import TOP, Finding, Place, Spot

REPLACEMENT = "\ufffd"
MAX_FAULTS = 1000
"""After so many faults a file is not read on: what follows would not be read by anyone."""

_CONTROL = r"\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
_BIDIRECTIONAL = r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE = (
    r"\xad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f\u3164"
    r"\ufe00-\ufe0d\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e0fff"
)
_NONCHARACTER = r"\ufdd0-\ufdef" + "".join(rf"\U{n:04x}fffe\U{n:04x}ffff" for n in range(17))
_UNSEEN = rf"{_CONTROL}\u2028\u2029{_BIDIRECTIONAL}{_INVISIBLE}{_NONCHARACTER}\ud800-\udfff"
# A presentation selector is part of an emoji; behind a space or a second one it hides data.
_STRAY = r"(?:^|(?<=[\s\ufe0e\ufe0f]))[\ufe0e\ufe0f]"
# Patterns are text, compiled by `re` when they are first needed: most manifests need none.
_SUSPECT = rf"[{_UNSEEN}\r\ufe0e\ufe0f]"
_UNSAFE = rf"(?m:[{_UNSEEN}]|\r(?!\n)|{_STRAY})"
_UNSAFE_VALUE = rf"(?m:[{_UNSEEN}\r]|{_STRAY})"
_KINDS = (
    (r"[\r\x85\u2028\u2029]", "a line break that only some programs see"),
    (f"[{_CONTROL}]", "a control character"),
    (f"[{_BIDIRECTIONAL}]", "a bidirectional character"),
    (r"[\ud800-\udfff]", "a lone surrogate"),
    (f"[{_NONCHARACTER}]", "a non-character"),
)
_NO_TEXT = "a manifest is UTF-8 text"


def decode(data: bytes) -> tuple[str, list[Finding]]:
    """The text of a file without a leading byte order mark, and what is wrong with its characters.

    Each unsafe character is replaced by U+FFFD, one for one, so that places stay true and what
    comes next can go on. After `MAX_FAULTS` faults, or for UTF-16, the text is empty.
    """
    if faults := _foreign(data):
        return "", faults
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    if _is_clean(text.replace("\r\n", "\n") if "\r" in text else text):
        return text, []
    found = list(islice(re.finditer(_UNSAFE, text), MAX_FAULTS + 1))
    faults = list(_faults(text, found))
    if len(found) > MAX_FAULTS:
        return "", [*faults, too_many_faults(faults[-1].spot.place)]
    return re.sub(_UNSAFE, REPLACEMENT, text), faults


def unsafe_character(value: str) -> str | None:
    """The first character that text in a manifest may not hold; None if there is none."""
    if _is_clean(value):
        return None
    found = re.search(_UNSAFE_VALUE, value)
    return found[0] if found else None


def describe(character: str) -> str:
    """`U+200B, an invisible character`."""
    kind = next((kind for pattern, kind in _KINDS if re.match(pattern, character)), None)
    return f"U+{ord(character):04X}, {kind or 'an invisible character'}"


def too_many_faults(place: Place | None) -> Finding:
    """The last finding of a file that is not read on."""
    return Finding(
        "too-large",
        Spot(place=place),
        f"more than {MAX_FAULTS} faults; from here on the file was not read",
        "is this a manifest?",
    )


def _is_clean(text: str) -> bool:
    """Whether a quick look finds nothing; if it finds something, that may still be harmless."""
    if text.isascii():
        return text.replace("\n", "").replace("\t", "").isprintable()
    return not re.search(_SUSPECT, text)


def _foreign(data: bytes) -> list[Finding]:
    head = data[:64]
    if not head.startswith((b"\xff\xfe", b"\xfe\xff")) and head.count(0) * 3 <= len(head):
        return []
    message = f"the file is UTF-16 or UTF-32; {_NO_TEXT}"
    return [Finding("foreign-encoding", Spot(place=TOP), message, "save the file as UTF-8")]


def _faults(text: str, found: list[re.Match[str]]) -> Iterator[Finding]:
    """One finding for each run of one character."""
    line, line_start, scanned = 1, 0, 0
    for run in _runs(found):
        start, character = run[0].start(), run[0][0]
        line += text.count("\n", scanned, start)
        line_start = max(line_start, text.rfind("\n", scanned, start) + 1)
        scanned = start
        column = start - line_start + 1
        yield _fault(character, len(run), Place(line, column, line, column + len(run)))


def _runs(found: list[re.Match[str]]) -> Iterator[list[re.Match[str]]]:
    run = found[:1]
    for match in found[1:]:
        if match.start() != run[-1].end() or match[0] != run[-1][0]:
            yield run
            run = []
        run.append(match)
    if run:
        yield run


def _fault(character: str, count: int, place: Place) -> Finding:
    if "\udc80" <= character <= "\udcff":
        byte = f"0x{ord(character) - 0xDC00:02X}"
        return Finding(
            "foreign-encoding",
            Spot(place=place),
            f"byte {byte} is not UTF-8 here; {_NO_TEXT}",
            "save the file as UTF-8 (it may be Latin-1 or Windows-1252)",
        )
    times = f" ({count} times)" if count > 1 else ""
    return Finding(
        "unsafe-text",
        Spot(place=place),
        f"{describe(character)}, may not stand in a manifest{times}",
        "delete it; a reader would not see that it is there",
    )
