"""Comments that ask to tell no warning of some rules on a line, and what they silence."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from yaml.error import YAMLError
from yaml.events import ScalarEvent

from forge_cli.manifest.findings import Finding, Place
from forge_cli.manifest.reading.events import events

ABOUT_IGNORES = frozenset({"bad-ignore", "unused-ignore"})
"""The rules about these comments, which no comment silences."""

MAX_IGNORES, MAX_RULES = 1_000, 100
"""Such comments of a manifest and what it includes, and rules that one of them can name."""

_WORDS = re.compile(r"#[ \t]*forge:[ \t]*ignore(?![\w-])")
_COMMENT = re.compile(_WORDS.pattern + r"[ \t]*(?:\[([^\]\n]*)\])?([^\n]*)")
_RULE = re.compile(r"[^\s,]+")
_AROUND_REASON = " \t\r:-\u2013\u2014"


class Ignore(NamedTuple):
    """One comment: where it is, the line that it is about, the rules with their places, and why.

    `file` is the included file that it is in, as people write it; the manifest itself if empty.
    """

    place: Place
    line: int
    rules: tuple[tuple[str, Place], ...]
    reason: str
    file: str = ""

    def covers(self, finding: Finding) -> bool:
        """Whether it silences the finding, which has a place; it does nothing without a reason."""
        place = finding.spot.place
        return (
            bool(self.reason)
            and finding.severity == "warning"
            and finding.rule not in ABOUT_IGNORES
            and finding.spot.file == self.file
            and place is not None
            and place.line == self.line
            and any(rule == finding.rule for rule, _ in self.rules)
        )


def ignores(text: str) -> tuple[Ignore, ...]:
    """Such comments of a text that is sound YAML, in their order; of too many one more than may be.

    A comment is taken if it begins with the words: what quotes them, and what was commented out
    together with them, ignores nothing.
    """
    lines = {text.rfind("\n", 0, found.start()) + 1 for found in _WORDS.finditer(text)}
    if not lines:
        return ()
    starts = _comments(text, sorted(lines))
    comments = (found for start in starts if (found := _COMMENT.match(text, start)))
    return tuple(islice(_placed(text, comments), MAX_IGNORES + 1))


def silence(
    findings: Iterable[Finding], comments: Sequence[Ignore]
) -> tuple[list[Finding], list[tuple[Finding, Ignore]]]:
    """The findings that are told, and those that are not, with the first comment that says so."""
    by_line: dict[int, list[Ignore]] = {}
    for comment in comments[:MAX_IGNORES]:
        by_line.setdefault(comment.line, []).append(comment)
    told: list[Finding] = []
    silenced: list[tuple[Finding, Ignore]] = []
    for finding in findings:
        near = by_line.get(finding.spot.place.line, ()) if finding.spot.place else ()
        comment_for = next((each for each in near if each.covers(finding)), None)
        if comment_for is None:
            told.append(finding)
        else:
            silenced.append((finding, comment_for))
    return told, silenced


def _comments(text: str, lines: Sequence[int]) -> Iterator[int]:
    """Where the comments of these lines (offsets of their beginnings) begin: outside of scalars."""
    scalars = _scalars(text)
    first, last = next(scalars, (len(text), 0))
    for start in lines:
        line_end = text.find("\n", start)
        at = text.find("#", start)
        while at >= 0 and (line_end < 0 or at < line_end):
            while last <= at:
                first, last = next(scalars, (len(text), len(text) + 1))
            if at < first:
                yield at
                break
            at = text.find("#", at + 1)


def _scalars(text: str) -> Iterator[tuple[int, int]]:
    """Where the contents of scalars begin and end; no comment is in them."""
    try:
        for event in events(text):
            if isinstance(event, ScalarEvent):
                yield _content(text, event)
    except YAMLError:
        return


def _content(text: str, event: Any) -> tuple[int, int]:
    """Of a block scalar what is behind the line of its `|` or `>`, which a comment may end."""
    start: int = event.start_mark.index
    is_block = event.style in ("|", ">")
    return text.find("\n", start) if is_block else start, event.end_mark.index


def _placed(text: str, comments: Iterable["re.Match[str]"]) -> Iterator[Ignore]:
    """The comments with their lines, counted on from one to the next."""
    line, counted, about = 1, 0, 0
    for comment in comments:
        start = comment.start()
        line += text.count("\n", counted, start)
        counted = start
        column = start - text.rfind("\n", 0, start)
        if text[start - column + 1 : start].strip():
            yield _ignore(comment, line, column, line)
            continue
        if line >= about:
            about = _next_line(text, line, comment.end())
        yield _ignore(comment, line, column, about)


def _ignore(comment: "re.Match[str]", line: int, column: int, about: int) -> Ignore:
    def place(start: int, end: int) -> Place:
        moved = column - comment.start()
        return Place(line, start + moved, line, end + moved)

    words = islice(_RULE.finditer(comment.string, *comment.span(1)), MAX_RULES)
    rules = tuple((word[0], place(*word.span())) for word in words if comment[1])
    whole = place(comment.start(), comment.start() + len(comment[0].rstrip()))
    return Ignore(whole, about, rules, comment[2].strip(_AROUND_REASON))


def _next_line(text: str, line: int, end: int) -> int:
    """The line behind a comment that is alone on its line, and behind others that follow it."""
    while text[end : end + 1] == "\n":
        line += 1
        start, end = end + 1, text.find("\n", end + 1)
        if end < 0 or not text[start:end].lstrip().startswith("#"):
            break
    return line
