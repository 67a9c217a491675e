"""Does what a help says: types the line that it prints where the fault is marked."""

import re
from collections import Counter

from forge_cli.app.validate import Report, check_file
from forge_cli.manifest.findings import Finding, Path, Place
from forge_cli.manifest.reading.places import places

_PRINTED = re.compile(
    r"(?:write  |remove the quotes: |quote it: )(.+?(?:\n {9}.+)*)(?:  .*)?(?:\n.*)*"
)
"""A help that begins with what to type; a gap of two blanks ends it."""
_ENTRY = re.compile(r"([\w-]+):(?: |\n|$)")
_ITEMS = re.compile(r"write in the place of '(.+)' an item for each step:((?:\n {2}.+)+)")
_ELSEWHERE = re.compile(r"write  (.+?)  in (?:(item|role) )?'(.+?)'")
_DOER = re.compile(r"write  role: ROLE  \('(.+?)'")
_BESIDE = re.compile(r"  and (?: env:|read)")


def reported(data: bytes) -> Report:
    """What `forge validate` finds, without the files beside a manifest."""
    return check_file("-", data)


def told(report: Report) -> Counter[tuple[str, str]]:
    """The faults by rule and message: places move when something is typed."""
    return Counter((each.rule, each.message) for each in report.findings)


def typed(finding: Finding, data: bytes) -> bytes | None:
    """The manifest with the help's line in the place of the marked one; None if it prints none."""
    if steps := _ITEMS.match(finding.hint):
        return _in_place_of_entry(steps[2].strip(), ("work_items", steps[1]), data)
    if other := _ELSEWHERE.match(finding.hint):
        section = "roles" if other[2] == "role" else "work_items"
        return _below(other[1], (section, other[3]), data)
    if doer := _DOER.match(finding.hint):
        return _below(f"role: {doer[1]}", finding.spot.path, data)
    printed = _PRINTED.fullmatch(finding.hint)
    if printed is None or _BESIDE.search(finding.hint):
        return None
    text, path = printed[1], finding.spot.path
    if finding.rule == "missing-key":
        return _below(text, path, data)
    entry = _ENTRY.match(text)
    while entry and path and not isinstance(path[-1], str):
        path = path[:-1]
    if entry and path:
        return _in_place_of_entry(text, path, data)
    whole = finding.rule == "bad-expression"
    return _in_place_of(
        text, places(data, [path])[path].value if whole else finding.spot.place, data
    )


def _below(text: str, path: Path, data: bytes) -> bytes:
    """A line more below a key, or an entry more where its value is in braces."""
    placed = places(data, [path])[path]
    key, end = placed.key, placed.value
    assert key is not None
    lines = data.decode().splitlines(keepends=True)
    if lines[end.end_line - 1][: end.end_column - 1].endswith("}"):
        line = lines[end.end_line - 1]
        lines[end.end_line - 1] = (
            f"{line[: end.end_column - 2]}, {text}{line[end.end_column - 2 :]}"
        )
        return "".join(lines).encode()
    lines.insert(key.line, f"{'':{key.column + 1}}{text}\n")
    return "".join(lines).encode()


def _in_place_of_entry(text: str, path: Path, data: bytes) -> bytes:
    placed = places(data, [path])[path]
    assert placed.key is not None
    lines = data.decode().splitlines(keepends=True)
    first, start = placed.key.line - 1, placed.key.column - 1
    last, end = placed.value.end_line - 1, placed.value.end_column - 1
    if placed.is_block:
        deeper = (
            n for n in range(last + 1, len(lines)) if not lines[n].startswith(" " * (start + 1))
        )
        last, end = next(deeper, len(lines)) - 1, -1
    rest = lines[last][end:]
    deep = 7 if "\n         " in text else 2
    text = re.sub(rf"\n {{{deep}}}", "\n" + " " * start, text)
    return "".join(
        [*lines[:first], lines[first][:start] + text + rest, *lines[last + 1 :]]
    ).encode()


def _in_place_of(text: str, place: Place | None, data: bytes) -> bytes:
    assert place is not None
    assert place.line == place.end_line
    lines = data.decode().splitlines(keepends=True)
    line = lines[place.line - 1]
    lines[place.line - 1] = line[: place.column - 1] + text + line[place.end_column - 1 :]
    return "".join(lines).encode()
