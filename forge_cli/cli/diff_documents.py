"""What two manifests differ in, for programs and for a pull request."""

import json
import re
from collections.abc import Iterator
from typing import Any

from forge_cli.app.diff import Difference
from forge_cli.cli.diff_text import address, loud, tally, where
from forge_cli.cli.spots import place_of
from forge_cli.cli.terminal import Terminal
from forge_cli.manifest.comparison.changes import Change
from forge_cli.manifest.comparison.versions import Due
from forge_cli.manifest.findings import Spot

FORMAT_VERSION = 1

_MARKDOWN = re.compile(r"([\\`*_\[\]<>#|~&])")


def diff_json(told: Difference, terminal: Terminal) -> Iterator[str]:
    """One object: the two names, `changes`, and the `versions` that must rise."""
    document: dict[str, Any] = {
        "format_version": FORMAT_VERSION,
        "old": told.old,
        "new": told.new,
        "changes": [_change(change, told) for change in told.changes],
        "versions": [_due(due, told) for due in told.dues],
        "versions_show_it": not told.missing,
    }
    text = json.dumps(document, ensure_ascii=True, indent=2)
    yield terminal.data(text)


def _change(change: Change, told: Difference) -> dict[str, Any]:
    verdict = change.verdict
    return {
        "class": verdict.weight,
        "kind": change.kind,
        "part": change.part,
        "aspect": change.aspect,
        "direction": verdict.direction,
        "message": change.sentence,
        "old": verdict.old,
        "new": verdict.new,
        "witness": verdict.witness,
        "side": change.side,
        "places": {
            "old": None if change.old is None else _place(told.old, change.old),
            "new": None if change.new is None else _place(told.new, change.new),
        },
    }


def _place(file: str, spot: Spot) -> dict[str, Any]:
    place = place_of(spot)
    return {
        "path": spot.file or file,
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
    }


def _due(due: Due, told: Difference) -> dict[str, Any]:
    return {
        "part": due.part,
        "class": due.weight,
        "old": due.old,
        "new": due.new,
        "due": due.due,
        "shown": due.shown,
        "place": _place(told.new, due.spot),
    }


def diff_markdown(told: Difference, terminal: Terminal) -> Iterator[str]:
    """A comment for a pull request; nothing in a name or value is read as Markdown or HTML."""
    yield f"### forge diff: {tally(told)}"
    yield ""
    yield f"{_code(terminal, told.old)} to {_code(terminal, told.new)}"
    if told.changes:
        yield ""
    for change in told.changes:
        yield from _item(change, told, terminal)
    if told.dues:
        yield ""
        yield "| version | old | new | due | |"
        yield "|---|---|---|---|---|"
    for due in told.dues:
        state = "risen" if due.shown else "**must rise**"
        part = _MARKDOWN.sub(r"\\\1", terminal.safe(due.part))
        yield f"| {part} | {due.old} | {due.new} | {due.due} | {state} |"


def _item(change: Change, told: Difference, terminal: Terminal) -> Iterator[str]:
    verdict = change.verdict
    sentence = _MARKDOWN.sub(r"\\\1", terminal.safe(change.sentence))
    place = _code(terminal, address(*where(change, told)))
    yield f"* **{loud(verdict.weight)}** {sentence}, {place}"
    rows = (("old", verdict.old), ("new", verdict.new), ("shown by", verdict.witness))
    yield from (f"  * {word} {_code(terminal, text)}" for word, text in rows if text)


def _code(terminal: Terminal, text: str) -> str:
    """The text as code, in which nothing is a sign, a link or somebody's name."""
    safe = terminal.safe(text)
    longest = max((len(run) for run in re.findall("`+", safe)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {safe} {fence}" if longest else f"{fence}{safe}{fence}"
