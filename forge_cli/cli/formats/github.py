"""Findings as workflow commands of GitHub Actions, which shows them beside the lines."""

from collections.abc import Iterator

from forge_cli.cli.actions import workflow_command
from forge_cli.cli.formats import Checked, unselected
from forge_cli.cli.spots import place_of, rooted
from forge_cli.cli.terminal import Terminal
from forge_cli.manifest.findings import Finding


def write(checked: Checked, terminal: Terminal) -> Iterator[str]:
    """A command for what could not be read or is not shown, for each error, then each warning."""
    for refusal in checked.refusals:
        yield workflow_command("error", refusal, terminal, title="forge")
    for report in checked.reports:
        if report.unshown:
            path = rooted(report.path, checked.root)
            told = unselected(report.unshown)
            yield workflow_command("error", told, terminal, file=path, title="forge")
    for severity in ("error", "warning"):
        for report in checked.reports:
            for finding in report.findings:
                if finding.severity == severity:
                    yield _annotation(finding, rooted(report.path, checked.root), terminal)


def _annotation(finding: Finding, path: str, terminal: Terminal) -> str:
    """Columns are for annotations on one line only; GitHub refuses others that have them."""
    place = place_of(finding.spot)
    where: dict[str, str | int] = {"file": path, "line": place.line, "endLine": place.end_line}
    if place.line == place.end_line:
        where |= {"col": place.column, "endColumn": place.end_column}
    told = "\n".join(filter(None, (finding.message, finding.hint)))
    return workflow_command(finding.severity, told, terminal, **where, title=finding.rule)
