"""Findings for the YAML that is no part of the language, each with the place of the token."""

import re
from collections.abc import Iterator
from typing import Any

from forge_cli.manifest.findings import Finding, Path, Place, Spot
from forge_cli.manifest.reading.events import place_of, place_within
from forge_cli.manifest.reading.scalars import quoted, shorten
from forge_cli.manifest.reading.text import describe, unsafe_character

MAX_DEPTH = 50
MAX_NODES = 500_000
"""Scalars and collections; 100,000 items of a few keys each pass, a bomb ends in half a second."""
MAX_KEY = 1024

_ESCAPES = r"(?s)\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))"
_SHORT_ESCAPES = {"0": 0, "a": 7, "b": 8, "v": 11, "f": 12, "r": 13, "e": 27}
_SHORT_ESCAPES |= {"N": 0x85, "L": 0x2028, "P": 0x2029}


def properties(event: Any, text: str) -> Iterator[Finding]:
    """The anchor and the tag of a node."""
    start = event.start_mark
    if event.anchor is not None:
        written = "&" + event.anchor
        place = place_within(text, start, text.index(written, start.index), len(written))
        yield _not_in_language("yaml-anchor", place, f"'{written}' (an anchor)", "delete it")
    if event.tag is not None:
        offset = text.index("!", start.index)
        written = re.split(r"[\s,\]}]", text[offset : offset + 200], maxsplit=1)[0]
        place = place_within(text, start, offset, len(written))
        hint = "delete the tag; quote the value if it has to be text"
        yield _not_in_language("yaml-tag", place, f"'{shorten(written)}' (a tag)", hint)


def alias(event: Any) -> Finding:
    """`*name`, which may be meant as a glob."""
    written = "*" + event.anchor
    hint = f"write the value out, or quote it: {quoted(written)}"
    return _not_in_language("yaml-anchor", place_of(event), f"'{written}' (an alias)", hint)


def merge_key(event: Any) -> Finding:
    """A plain `<<` where a key stands."""
    hint = "write the keys out"
    return _not_in_language("yaml-merge-key", place_of(event), "'<<' (a merge key)", hint)


def directives(event: Any, text: str) -> Iterator[Finding]:
    """A `%YAML` other than 1.2, and `%TAG`, at the start of a document."""
    if event.version and event.version != (1, 2):
        word = "%YAML " + ".".join(map(str, event.version))
        yield _directive(text, word, "a manifest is YAML 1.2", "write  %YAML 1.2")
    if event.tags:
        yield _directive(text, "%TAG", "tags are not part of the language", "delete the line")


def second_document(event: Any) -> Finding:
    """The `---` behind the first document."""
    place = place_of(event)
    return Finding(
        "second-document",
        Spot(place=Place(place.line, place.column, place.line, place.column + 3)),
        "a second document begins; a manifest is one document",
        "delete the '---', or move what follows to a file of its own",
    )


def number_out_of_range(event: Any, why: str) -> Finding:
    """A number that cannot be held exactly."""
    hint = "put it in quotes if it is text"
    return Finding("number-out-of-range", Spot(place=place_of(event)), why, hint)


def unsafe_escape(event: Any, text: str) -> Finding:
    """The first escape of a double-quoted text that stands for an unsafe character."""
    start, end = event.start_mark.index, event.end_mark.index
    for escape in re.compile(_ESCAPES).finditer(text, start, end):
        character = _character(escape)
        if unsafe_character(character):
            place = place_within(text, event.start_mark, escape.start(), len(escape[0]))
            message = f"the escape {escape[0]} stands for {describe(character)}"
            return Finding("unsafe-text", Spot(place=place), message, "delete it")
    message = "an escape in this text stands for a character that may not stand in a manifest"
    return Finding("unsafe-text", Spot(place=place_of(event)), message, "delete it")


def scalar_as_key(event: Any, value: object) -> Finding:
    """A key that YAML reads as null, a boolean or a number."""
    what = f"'{event.value}' is {_kind(value)}" if event.value else "it is empty"
    spot = Spot(place=place_of(event))
    return Finding("non-text-key", spot, f"a key is text; {what}", f"write  {quoted(event.value)}")


def collection_as_key(event: Any, text: str, what: str) -> Finding:
    """A mapping or list (`what`) as a key; often a template's braces."""
    start = event.start_mark.index
    opening = next((at for at in (start - 1, start) if text.startswith("{{", max(at, 0))), None)
    if opening is None:
        spot, hint = Spot(place=start_of(event)), "write the key as one word"
        return Finding("non-text-key", spot, f"a key is text; this is {what}", hint)
    line = text[opening:].partition("\n")[0].rstrip()
    place = start_of(event)
    column = place.column + opening - start
    place = Place(place.line, column, place.line, column + len(line.partition("}}")[0]) + 2)
    value = line.partition("}}:")[0] + "}}" if "}}:" in line else line
    hint = f"quote the template's braces: {quoted(shorten(value, 70))}"
    return Finding("non-text-key", Spot(place=place), "a key is text; this is a mapping", hint)


def long_key(event: Any) -> Finding:
    """A key of more than `MAX_KEY` characters."""
    message = f"a key of {len(event.value)} characters; keys have at most {MAX_KEY}"
    return Finding("too-large", Spot(place=place_of(event)), message)


def duplicate_key(event: Any, first: Path | None) -> Finding:
    """The second of two equal keys; `first` is the path of the first, if it has one."""
    related = (Spot(first, "key", "first here"),) if first else ()
    return Finding(
        "duplicate-key",
        Spot(first or (), "key", "second here", place=place_of(event)),
        f"duplicate key '{shorten(event.value)}'",
        "keep the one that is meant, delete or rename the other (most readers take the last one)",
        related,
    )


def too_deep(event: Any) -> Finding:
    """A collection inside `MAX_DEPTH` others."""
    return Finding(
        "too-deep", Spot(place=start_of(event)), f"nested more than {MAX_DEPTH} levels deep"
    )


def too_many_nodes(event: Any) -> Finding:
    """The value behind the last one that may be there."""
    message = f"more than {MAX_NODES:,} values; a manifest has fewer"
    return Finding("too-large", Spot(place=start_of(event)), message)


def start_of(event: Any) -> Place:
    """The first character of an event."""
    place = place_of(event)
    return Place(place.line, place.column, place.line, place.column + 1)


def _not_in_language(rule: str, place: Place, what: str, hint: str) -> Finding:
    return Finding(rule, Spot(place=place), f"{what} is not part of the language", hint)


def _directive(text: str, word: str, why: str, hint: str) -> Finding:
    line = text.count("\n", 0, text.find(word.partition(" ")[0])) + 1
    place = Place(line, 1, line, 1 + len(word))
    return Finding("yaml-directive", Spot(place=place), f"'{word}': {why}", hint)


def _character(escape: re.Match[str]) -> str:
    digits = escape[1] or escape[2] or escape[3]
    return chr(int(digits, 16) if digits else _SHORT_ESCAPES.get(escape[4], 0x20))


def _kind(value: object) -> str:
    if value is None:
        return "null"
    return "a boolean" if isinstance(value, bool) else "a number"
