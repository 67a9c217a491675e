"""Findings for programs, as one JSON document."""

import json
from collections.abc import Sequence
from typing import Any

from forge_cli.app.validate import Report
from forge_cli.cli.findings import place_of
from forge_cli.cli.terminal import Terminal
from forge_cli.manifest.findings import Finding, Spot

FORMAT_VERSION = 1


def document(reports: Sequence[Report]) -> str:
    """`{"format_version": 1, "findings": [...]}`, in ASCII; lines and columns as in `Place`."""
    findings = [_entry(report.path, finding) for report in reports for finding in report.findings]
    return json.dumps({"format_version": FORMAT_VERSION, "findings": findings}, indent=2)


def _entry(path: str, finding: Finding) -> dict[str, Any]:
    return {
        **_place(finding.spot, path),
        "rule": finding.rule,
        "severity": finding.severity,
        "message": _encodable(finding.message),
        "hint": _encodable(finding.hint),
        "related": [
            {**_place(spot, path), "note": _encodable(spot.note)}
            for spot in finding.related
            if spot.place
        ],
    }


def _place(spot: Spot, path: str) -> dict[str, Any]:
    place = place_of(spot)
    return {
        "path": _encodable(spot.file or path),
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
    }


def _encodable(text: str) -> str:
    """Text that a JSON reader takes: of bytes that are not UTF-8, and surrogates, the escapes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return Terminal().safe(text)
    return text
