"""What libyaml refuses, in words that say what to type."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from forge_cli.manifest.findings import Finding, Place, Spot
from forge_cli.manifest.reading import causes
from forge_cli.manifest.reading.events import place_within
from forge_cli.manifest.reading.scalars import quoted, shorten
from forge_cli.manifest.reading.text import describe

_MAX_KEY = 1024
_ESCAPE = re.compile(r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)")


@dataclass(frozen=True, slots=True)
class _Fault:
    """A refusal of libyaml's scanner or parser; offsets are code points from the text's start."""

    text: str
    problem: str
    mark: Any
    context: Any

    @property
    def offset(self) -> int:
        """Where the scanner stopped, at most the end of the text."""
        return min(int(self.mark.index), len(self.text))

    @property
    def at_end(self) -> bool:
        """Nothing but white space follows."""
        return not self.text[self.offset :].strip()

    def rest_of_line(self, offset: int) -> str:
        """What stands on the line from `offset`, without a comment."""
        line = self.text[offset:].partition("\n")[0]
        return line.partition(" #")[0].rstrip()

    def value(self, offset: int) -> str:
        """The value that begins at `offset`: on a line in brackets it ends with them, or before."""
        rest = self.rest_of_line(offset)
        before = self.text[self.text.rfind("\n", 0, offset) + 1 : offset]
        opened = sum(map(before.count, "[{")) - sum(map(before.count, "]}"))
        return re.split(r"\s*[],}]", rest, maxsplit=1)[0] if opened > 0 else rest

    def place(self, mark: Any, length: int = 1) -> Place:
        """`length` characters from a mark; the last line's end if the mark is behind the text."""
        if mark.index >= len(self.text) and self.text:
            return _end_of(self.text)
        return place_within(self.text, mark, mark.index, max(1, length))

    def line_from(self, offset: int) -> Place:
        """The rest of the line from `offset`."""
        line = self.text.count("\n", 0, offset) + 1
        column = offset - self.text.rfind("\n", 0, offset)
        return Place(line, column, line, column + max(1, len(self.rest_of_line(offset))))


def explain(error: Any, text: str) -> Finding:
    """The finding for a `yaml.MarkedYAMLError` that libyaml raised on `text`."""
    problem = error.problem or "this is not YAML"
    fault = _Fault(text, problem, error.problem_mark, error.context_mark)
    for fragment, explanation in _EXPLANATIONS:
        if fragment in problem or fragment in (error.context or ""):
            return explanation(fault)
    return _finding(fault, fault.mark, f"not YAML: {problem}")


def _finding(
    fault: _Fault,
    mark: Any,
    message: str,
    hint: str = "",
    length: int = 1,
    rule: str = "yaml-syntax",
) -> Finding:
    return Finding(rule, Spot(place=fault.place(mark, length)), message, hint)


def _bad_start(fault: _Fault) -> Finding:
    character = fault.text[fault.offset : fault.offset + 1]
    if character == "\t":
        return _inner_tab(fault)
    value = fault.value(fault.offset)
    return _finding(
        fault,
        fault.mark,
        f"a value may not begin with '{character}' unless it is quoted",
        f"write  {quoted(shorten(value, 70))}",
        len(value),
    )


def _bad_alias(fault: _Fault) -> Finding:
    value = fault.value(fault.context.index)
    return _finding(
        fault,
        fault.context,
        f"a value may not begin with '{value[:1]}' unless it is quoted",
        f"write  {quoted(shorten(value, 70))}",
        len(value),
    )


def _second_colon(fault: _Fault) -> Finding:
    line_start = fault.text.rfind("\n", 0, fault.offset) + 1
    before = fault.text[line_start : fault.offset]
    if len(before) > _MAX_KEY:
        return _finding(
            fault, fault.mark, f"a key of {len(before)} characters; keys have at most {_MAX_KEY}"
        )
    key, colon, value = before.partition(": ")
    if not colon:
        return _deeper(fault, line_start)
    whole = value.lstrip() + fault.rest_of_line(fault.offset)
    return _finding(
        fault,
        fault.mark,
        f"a second ':' in the value of '{shorten(key.strip())}'",
        f"quote the value: {key.strip()}: {quoted(shorten(whole, 70))}",
    )


def _deeper(fault: _Fault, line_start: int) -> Finding:
    """A key below a value that is text: the line above lacks a blank, or this one is too deep."""
    start, above = causes.line_above(fault.text, line_start)
    indent = len(above) - len(above.lstrip())
    if unspaced := causes.unspaced(above):
        return _unspaced(fault, start + indent, *unspaced)
    key = fault.text[line_start : fault.offset].strip()
    if ": " not in above or len(above) > _MAX_KEY:
        message = "a ':' that makes this line a mapping, which may not stand here"
        return _finding(fault, fault.mark, message, "check the indentation, or quote the text")
    other = shorten(above.strip().partition(":")[0])
    return Finding(
        "yaml-syntax",
        Spot(place=fault.line_from(fault.offset - len(key))),
        f"'{shorten(key)}' is indented more than '{other}', which has a value already",
        f"begin both at column {indent + 1}, or quote the text if it goes on here",
        (Spot(place=fault.line_from(start + indent), note=f"begins at column {indent + 1}"),),
    )


def _unspaced(fault: _Fault, offset: int, key: str, value: str) -> Finding:
    return Finding(
        "yaml-syntax",
        Spot(place=fault.line_from(offset)),
        f"no blank behind the ':' of '{shorten(key)}', so that all of it is text",
        f"write  {shorten(key)}: {shorten(value, 70)}",
    )


def _open_quote(fault: _Fault) -> Finding:
    quote = fault.text[fault.context.index : fault.context.index + 1]
    return _finding(fault, fault.context, f"the quote {quote} that opens here is never closed")


def _open_bracket(fault: _Fault) -> Finding:
    opening = fault.text[fault.context.index : fault.context.index + 1]
    closing = {"[": "]", "{": "}"}.get(opening)
    if closing is None:
        return _no_value(fault)
    if fault.at_end:
        message = f"the '{opening}' that opens here is never closed"
        return _finding(fault, fault.context, message, f"add '{closing}'")
    related = Spot(place=fault.place(fault.context), note="opens here")
    if text := causes.reference(fault.text, fault.offset):
        place = fault.line_from(fault.text.index(text, max(fault.offset - 1, 0)))
        place = place._replace(end_column=place.column + len(text))
        message = f"'{shorten(text)}' stands in braces or brackets without quotes"
        return Finding("yaml-syntax", Spot(place=place), message, f"write  {quoted(text)}")
    message = f"expected ',' or '{closing}' after the value before"
    place = fault.place(fault.mark, len(fault.rest_of_line(fault.offset)))
    hint = f"close the '{opening}', or quote the value"
    return Finding("yaml-syntax", Spot(place=place), message, hint, (related,))


def _no_value(fault: _Fault) -> Finding:
    if fault.at_end:
        return _finding(fault, fault.mark, "the file ends where a value is expected")
    value = fault.rest_of_line(fault.offset)
    message = f"expected a value before '{shorten(value)}'"
    return _finding(fault, fault.mark, message, "quote it if it is text", len(value))


def _inner_tab(fault: _Fault) -> Finding:
    return _finding(
        fault, fault.mark, "a tab may not indent a line", "indent with spaces, not with tabs"
    )


def _dash(fault: _Fault) -> Finding:
    value = fault.rest_of_line(fault.offset)
    return _finding(
        fault,
        fault.mark,
        "a list may not begin on the line of its key",
        f"begin the list on the next line, or quote the value: {quoted(shorten(value, 70))}",
        len(value),
    )


def _block_header(fault: _Fault) -> Finding:
    value = fault.rest_of_line(fault.offset)
    message = f"'{shorten(value)}' may not follow '|' or '>' on its line"
    return _finding(fault, fault.mark, message, "begin the text on the next line", len(value))


def _misplaced_line(fault: _Fault) -> Finding:
    if (quote := causes.open_quote(fault.text, fault.offset)) is not None:
        return _unclosed(fault, quote)
    if (value := causes.behind_brackets(fault.text, fault.offset)) is not None:
        return _no_list(fault, value)
    place = fault.place(fault.mark, len(fault.rest_of_line(fault.offset)))
    start, above = causes.line_above(fault.text, fault.offset)
    indent = len(above) - len(above.lstrip())
    begin, note = fault.line_from(start + indent), f"begins at column {indent + 1}"
    begins = f"mappings above begin at column {causes.columns(fault.text, fault.offset)}"
    if (ended := causes.ended_by(fault.text, fault.offset)) is not None:
        begin, note = fault.line_from(ended), "indented less, this ends what stood above it"
        begins = f"if this line is right, begin line {begin.line} at column {place.column}, too"
    beside = (Spot(place=begin, note=note),)
    return Finding(
        "yaml-syntax",
        Spot(place=place),
        "this does not fit the lines above: wrong indentation, or a key without ':'",
        f"give all keys of one mapping the same indentation; {begins}",
        beside if begin.line != place.line else (),
    )


def _unclosed(fault: _Fault, offset: int) -> Finding:
    """A quote that is closed by the opening one of a later line."""
    text = fault.rest_of_line(offset)
    spot = Spot(place=fault.line_from(offset))
    message = f"the quote {text[:1]} that opens here is not closed on its line"
    closed = Spot(place=fault.line_from(fault.offset), note="this follows the quote that closes it")
    hint = f"close it: {shorten(text, 70)}{text[:1]}"
    return Finding("yaml-syntax", spot, message, hint, (closed,))


def _no_list(fault: _Fault, offset: int) -> Finding:
    """Text that begins like a mapping or a list."""
    text = fault.rest_of_line(offset)
    message = f"a value that begins with '{text[:1]}' is no text, and ends with its bracket"
    hint = f"quote it: {quoted(shorten(text, 70))}"
    return Finding("yaml-syntax", Spot(place=fault.line_from(offset)), message, hint)


def _no_colon(fault: _Fault) -> Finding:
    key = fault.rest_of_line(fault.context.index)
    if unspaced := causes.unspaced(key):
        return _unspaced(fault, fault.context.index, *unspaced)
    message = f"expected ':' after '{shorten(key)}'"
    return _finding(fault, fault.context, message, f"write  {shorten(key)}: ...", len(key))


def _bad_escape(fault: _Fault) -> Finding:
    start = fault.text.rfind("\\", 0, fault.offset + 1)
    escape = _ESCAPE.match(fault.text, start) if start >= 0 else None
    written = escape[0] if escape else "\\"
    place = place_within(fault.text, fault.context, max(start, 0), len(written))
    if written[1:2] in ("u", "U") and len(written) > 2:
        code = int(f"0x{written[2:]}", 16)
        what = describe(chr(code)) if code <= 0x10FFFF else f"U+{code:X}, not a character"
        message = f"the escape {written} stands for {what}"
        return Finding("unsafe-text", Spot(place=place), message, "write the character itself")
    message = f"unknown escape {written} in a double-quoted text"
    hint = f"write  \\{written}  or use single quotes"
    return Finding("yaml-syntax", Spot(place=place), message, hint)


def _bad_version(fault: _Fault) -> Finding:
    line = fault.rest_of_line(fault.offset)
    return _finding(
        fault,
        fault.mark,
        f"'{line}' is not a version that can be read",
        "delete the line",
        len(line),
    )


def _too_deep(fault: _Fault) -> Finding:
    return _finding(fault, fault.mark, "nested too deeply to be a manifest", rule="too-deep")


def _second_document(fault: _Fault) -> Finding:
    above = fault.text[: fault.offset].rstrip().rpartition("\n")[2]
    line = fault.rest_of_line(fault.offset)
    if above.startswith("..."):
        message = f"'{shorten(line)}' follows the end of the document; a manifest is one document"
        return _finding(fault, fault.mark, message, "delete it", len(line), "second-document")
    message = f"'{shorten(line)}' is indented less than the lines above"
    hint = "give all keys of one mapping the same indentation"
    return _finding(fault, fault.mark, message, hint, len(line))


def _end_of(text: str) -> Place:
    """The last character that is not white space."""
    body = text.rstrip() or text[:1]
    line = body.count("\n") + 1
    column = max(1, len(body) - body.rfind("\n") - 1)
    return Place(line, column, line, column + 1)


_EXPLANATIONS: tuple[tuple[str, Callable[[_Fault], Finding]], ...] = (
    ("cannot start any token", _bad_start),
    ("found a tab character", _inner_tab),
    ("did not find expected node content", _no_value),
    ("block sequence entries are not allowed", _dash),
    ("expected comment or line break", _block_header),
    ("mapping values are not allowed", _second_colon),
    ("escape", _bad_escape),
    ("did not find expected hexdecimal", _bad_escape),
    ("scanning a quoted scalar", _open_quote),
    ("scanning an alias", _bad_alias),
    ("scanning an anchor", _bad_alias),
    ("maximum nesting depth", _too_deep),
    ("<document start>", _second_document),
    ("incompatible YAML document", _bad_version),
    ("parsing a flow", _open_bracket),
    ("could not find expected ':'", _no_colon),
    ("parsing a block", _misplaced_line),
)
