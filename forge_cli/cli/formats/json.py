"""Findings for programs, as one JSON document."""

import json
from collections.abc import Iterator
from typing import Any

from forge_cli.cli.formats import Checked
from forge_cli.cli.spots import place_of
from forge_cli.cli.terminal import Terminal
from forge_cli.manifest.findings import Finding, Spot

FORMAT_VERSION = 1
"""Also of `jsonl`; rises when a reader of the former version could be misled."""


def write(checked: Checked, _terminal: Terminal) -> Iterator[str]:
    """`{"format_version": 1, "findings": [...]}`, in ASCII."""
    findings = [
        entry(report.path, finding) for report in checked.reports for finding in report.findings
    ]
    yield json.dumps({"format_version": FORMAT_VERSION, "findings": findings}, indent=2)


def entry(path: str, finding: Finding) -> dict[str, Any]:
    """A finding as an object; lines and columns as in `Place`."""
    return {
        **_place(finding.spot, path),
        "rule": finding.rule,
        "severity": finding.severity,
        "message": encodable(finding.message),
        "hint": encodable(finding.hint),
        "related": [
            {**_place(spot, path), "note": encodable(spot.note)}
            for spot in finding.related
            if spot.place
        ],
    }


def _place(spot: Spot, path: str) -> dict[str, Any]:
    place = place_of(spot)
    return {
        "path": encodable(spot.file or path),
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
    }


def encodable(text: str) -> str:
    """Text that a JSON reader takes: of bytes that are not UTF-8, and surrogates, the escapes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return Terminal().safe(text)
    return text
