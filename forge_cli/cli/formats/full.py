"""Findings for people: a frame around the source line."""

from collections.abc import Iterable, Iterator, Sequence

from forge_cli.app.validate import Report
from forge_cli.cli.formats import Checked
from forge_cli.cli.formats.concise import SEVERITY_INK, header, one_line, where
from forge_cli.cli.source_lines import Excerpt, SourceLines
from forge_cli.cli.spots import place_of
from forge_cli.cli.terminal import Terminal
from forge_cli.manifest.findings import Finding, Place, Spot


def write(checked: Checked, terminal: Terminal) -> Iterator[str]:
    """Lines: each finding framed, then how many there are and where to read on."""
    told = False
    for report in checked.reports:
        sources = _Sources(report, terminal)
        for finding in report.findings:
            if told:
                yield ""
            yield from map(terminal.fit, _frame(sources, finding, terminal))
            told = True
    if checked.reports and not checked.quiet:
        if told:
            yield ""
        yield summary(checked.reports) + _more(checked.reports)


def _more(reports: Sequence[Report]) -> str:
    """Where to read on about the first error, or the first warning where there is no error."""
    findings = [finding for report in reports for finding in report.findings]
    first = min(findings, key=lambda each: each.severity != "error", default=None)
    return f"  More: forge explain {first.rule}" if first else ""


def summary(reports: Sequence[Report]) -> str:
    """`3 errors in 1 file.`"""
    found = [finding.severity for report in reports for finding in report.findings]
    counts = [
        f"{found.count(severity)} {severity}{'s' if found.count(severity) != 1 else ''}"
        for severity in SEVERITY_INK
        if severity in found
    ]
    faulty = sum(1 for report in reports if report.findings)
    files = f"{len(reports)} file{'s' if len(reports) != 1 else ''}"
    if not counts:
        selected = " of the selected rules" if any(report.unshown for report in reports) else ""
        return f"No findings{selected} in {files}."
    return f"{', '.join(counts)} in {files if faulty == len(reports) else f'{faulty} of {files}'}."


class _Sources:
    """The lines of a report's file and of the others that its findings point into."""

    def __init__(self, report: Report, terminal: Terminal) -> None:
        self.path = report.path
        self._texts = {**report.others, report.path: report.data}
        self._terminal = terminal
        self._lines: dict[str, SourceLines] = {}

    def of(self, file: str) -> SourceLines:
        """The lines of a file, by the name that spots have for it."""
        if file not in self._lines:
            self._lines[file] = SourceLines(self._texts[file or self.path], self._terminal)
        return self._lines[file]


_Mark = tuple[Place, Spot, str]


def _frame(sources: _Sources, finding: Finding, terminal: Terminal) -> Iterator[str]:
    marks = _marks(finding, sources.path)
    gutter = len(str(max(place.line for each in marks for place, _, _ in each)))
    yield header(sources.path, finding, terminal)
    for each in marks:
        yield f"{'':{gutter}} │"
        if each is not marks[0]:
            yield f"{'':{gutter}} ├ {where(sources.path, each[0][1], terminal)}"
        yield from _excerpts(each, sources.of(each[0][1].file), gutter, finding, terminal)
    if finding.hint:
        yield f"{'':{gutter}} │"
        yield from _help(finding.hint, gutter, terminal)


def _marks(finding: Finding, path: str) -> list[list[_Mark]]:
    """What is marked in each file, the one of the finding first."""
    files: dict[str, list[_Mark]] = {finding.spot.file or path: []}
    for spot, sign in ((finding.spot, "^"), *((spot, "─") for spot in finding.related)):
        if sign == "^" or spot.place:
            files.setdefault(spot.file or path, []).append((place_of(spot), spot, sign))
    return [sorted(marks, key=lambda mark: (mark[0], mark[2])) for marks in files.values()]


def _excerpts(
    marks: Iterable[_Mark], lines: SourceLines, gutter: int, finding: Finding, terminal: Terminal
) -> Iterator[str]:
    above = None
    for place, spot, sign in marks:
        excerpt = lines.excerpt(place)
        if above is not None and place.line > above + 1:
            yield f"{'':{gutter}} ┆"
        if place.line != above:
            yield f"{place.line:>{gutter}} │ {excerpt.text}".rstrip()
        above = place.line
        yield f"{'':{gutter}} │ {_caret(excerpt, spot, sign, finding, terminal)}"


def _caret(excerpt: Excerpt, spot: Spot, sign: str, finding: Finding, terminal: Terminal) -> str:
    caret = sign * excerpt.length
    if sign == "^":
        caret = terminal.ink(SEVERITY_INK[finding.severity], caret)
    note = f" {one_line(terminal, spot.note)}" if spot.note else ""
    return f"{' ' * excerpt.offset}{caret}{note}"


def _help(hint: str, gutter: int, terminal: Terminal) -> Iterator[str]:
    label = f"{'':{gutter}} ╰ help: "
    for line in hint.split("\n"):
        yield label + terminal.safe(line)
        label = " " * len(label)
