"""Findings as a code quality report of GitLab (docs.gitlab.com/ci/testing/code_quality)."""

import json
from collections.abc import Iterator
from typing import Any

from forge_cli.app.validate import Report
from forge_cli.cli.fingerprints import Known, fingerprinted
from forge_cli.cli.formats import Checked, unselected
from forge_cli.cli.formats.json import encodable
from forge_cli.cli.spots import place_of, rooted
from forge_cli.cli.terminal import Terminal
from forge_cli.manifest.findings import Finding, Spot

_SEVERITY = {"error": "major", "warning": "minor"}


def write(checked: Checked, _terminal: Terminal) -> Iterator[str]:
    """A list in ASCII; of what could not be read it has no place to say anything."""
    found = ((report, finding) for report in checked.reports for finding in _found(report))
    entries = [_entry(known, checked.root) for known in fingerprinted(found, checked.root)]
    yield json.dumps(entries, indent=2)


def _found(report: Report) -> Iterator[Finding]:
    """The findings of a file; errors that are not shown would else leave it clean."""
    if report.unshown:
        yield Finding("forge", Spot(), unselected(report.unshown))
    yield from report.findings


def _entry(known: Known, root: str) -> dict[str, Any]:
    report, finding, fingerprint = known
    told = "\n".join(filter(None, (finding.message, finding.hint)))
    return {
        "description": encodable("; ".join(told.split("\n"))),
        "check_name": finding.rule,
        "fingerprint": fingerprint,
        "severity": _SEVERITY[finding.severity],
        "location": {
            "path": encodable(rooted(finding.spot.file or report.path, root)),
            "lines": {"begin": place_of(finding.spot).line},
        },
    }
