"""Findings for people: a frame around the source line, or one line each."""

from collections.abc import Iterator, Sequence

from forge_cli.app.validate import Report
from forge_cli.cli.source_lines import Excerpt, SourceLines
from forge_cli.cli.terminal import Terminal
from forge_cli.manifest.findings import Finding, Place, Spot

_SEVERITY_INK = {"error": "red", "warning": "yellow"}


def full(reports: Sequence[Report], terminal: Terminal, with_summary: bool = True) -> Iterator[str]:
    """Lines: each finding framed, then how many there are and where to read on."""
    rule = ""
    for report in reports:
        lines = SourceLines(report.data if report.findings else b"", terminal)
        for finding in report.findings:
            if rule:
                yield ""
            yield from map(terminal.fit, _frame(report.path, finding, lines, terminal))
            rule = finding.rule
    if with_summary:
        if rule:
            yield ""
        yield summary(reports) + (f"  More: forge explain {rule}" if rule else "")


def concise(reports: Sequence[Report], terminal: Terminal) -> Iterator[str]:
    """Lines: one for each finding."""
    for report in reports:
        for finding in report.findings:
            yield _header(report.path, finding, terminal)


def summary(reports: Sequence[Report]) -> str:
    """`3 errors in 1 file.`"""
    found = [finding.severity for report in reports for finding in report.findings]
    counts = [
        f"{found.count(severity)} {severity}{'s' if found.count(severity) != 1 else ''}"
        for severity in _SEVERITY_INK
        if severity in found
    ]
    faulty = sum(1 for report in reports if report.findings)
    files = f"{len(reports)} file{'s' if len(reports) != 1 else ''}"
    if not counts:
        return f"No findings in {files}."
    return f"{', '.join(counts)} in {files if faulty == len(reports) else f'{faulty} of {files}'}."


def place_of(spot: Spot) -> Place:
    """Where a spot is; the file's first character if that is not known."""
    return spot.place or Place(1, 1, 1, 2)


def _header(path: str, finding: Finding, terminal: Terminal) -> str:
    place = place_of(finding.spot)
    where = terminal.ink("bold", f"{terminal.safe(path)}:{place.line}:{place.column}")
    severity = terminal.ink(_SEVERITY_INK[finding.severity], finding.severity)
    rule = terminal.ink("dim", f"[{finding.rule}]")
    return f"{where}: {severity}: {_one_line(terminal, finding.message)} {rule}"


def _frame(path: str, finding: Finding, lines: SourceLines, terminal: Terminal) -> Iterator[str]:
    marks = sorted(
        [(place_of(spot), spot, "─") for spot in finding.related if spot.place]
        + [(place_of(finding.spot), finding.spot, "^")],
        key=lambda mark: (mark[0], mark[2]),
    )
    gutter = len(str(marks[-1][0].line))
    yield _header(path, finding, terminal)
    yield f"{'':{gutter}} │"
    above = None
    for place, spot, sign in marks:
        excerpt = lines.excerpt(place)
        if above is not None and place.line > above + 1:
            yield f"{'':{gutter}} ┆"
        if place.line != above:
            yield f"{place.line:>{gutter}} │ {excerpt.text}".rstrip()
        above = place.line
        yield f"{'':{gutter}} │ {_caret(excerpt, spot, sign, finding, terminal)}"
    if finding.hint:
        yield f"{'':{gutter}} │"
        yield from _help(finding.hint, gutter, terminal)


def _caret(excerpt: Excerpt, spot: Spot, sign: str, finding: Finding, terminal: Terminal) -> str:
    caret = sign * excerpt.length
    if sign == "^":
        caret = terminal.ink(_SEVERITY_INK[finding.severity], caret)
    note = f" {_one_line(terminal, spot.note)}" if spot.note else ""
    return f"{' ' * excerpt.offset}{caret}{note}"


def _help(hint: str, gutter: int, terminal: Terminal) -> Iterator[str]:
    label = f"{'':{gutter}} ╰ help: "
    for line in hint.split("\n"):
        yield label + terminal.safe(line)
        label = " " * len(label)


def _one_line(terminal: Terminal, text: str) -> str:
    return terminal.safe(" ".join(text.split("\n")))
