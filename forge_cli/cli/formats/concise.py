"""Findings for people, a line each."""

from collections.abc import Iterator

from forge_cli.cli.formats import Checked
from forge_cli.cli.spots import place_of
from forge_cli.cli.terminal import Terminal
from forge_cli.manifest.findings import Finding, Spot

SEVERITY_INK = {"error": "red", "warning": "yellow"}


def write(checked: Checked, terminal: Terminal) -> Iterator[str]:
    """`path:line:column: severity: message [rule]` for each finding."""
    for report in checked.reports:
        for finding in report.findings:
            yield header(report.path, finding, terminal)


def header(path: str, finding: Finding, terminal: Terminal) -> str:
    """The line that says what is wrong, and where."""
    severity = terminal.ink(SEVERITY_INK[finding.severity], finding.severity)
    rule = terminal.ink("dim", f"[{finding.rule}]")
    place = where(path, finding.spot, terminal)
    return f"{place}: {severity}: {one_line(terminal, finding.message)} {rule}"


def where(path: str, spot: Spot, terminal: Terminal) -> str:
    """`path:line:column` of a spot in the file `path`, or in the one that it names."""
    place = place_of(spot)
    return terminal.ink("bold", f"{terminal.safe(spot.file or path)}:{place.line}:{place.column}")


def one_line(terminal: Terminal, text: str) -> str:
    """Foreign text on one line, safe to look at."""
    return terminal.safe(" ".join(text.split("\n")))
