"""Findings as JSON: one document, or an object on each line."""

import json
from collections.abc import Callable

from forge_cli.app.validate import Report
from forge_cli.cli.formats import Checked
from forge_cli.manifest.findings import Finding, Place, Spot

Written = Callable[[str, Checked], str]


def odd(text: str) -> Checked:
    """A report with this text wherever foreign text may stand."""
    spot = Spot(place=Place(1, 1, 1, 2), note=text)
    return Checked((Report(text, (Finding("a-rule", spot, text, text, (spot,)),), b""),))


def test_a_finding_has_every_field(checked: Checked, written: Written) -> None:
    entry, _ = json.loads(written("json", checked))["findings"]
    assert entry == {
        "path": "a.yaml",
        "line": 4,
        "column": 7,
        "end_line": 4,
        "end_column": 23,
        "rule": "capability-exceeds-role",
        "severity": "error",
        "message": "'repository-write' exceeds role 'reviewer'",
        "hint": "write  capabilities: [repository-read]",
        "related": [
            {
                "path": "team/roles.yaml",
                "line": 2,
                "column": 5,
                "end_line": 2,
                "end_column": 17,
                "note": "role 'reviewer' holds 1: 'repository-read'",
            }
        ],
    }


def test_it_is_versioned_ascii_that_every_reader_takes(written: Written) -> None:
    text = written("json", odd("é\x1b\u202e\n"))
    assert text.isascii()
    assert text.replace("\n", "").isprintable()
    assert json.loads(text)["format_version"] == 1
    assert json.loads(text)["findings"][0]["path"] == "é\x1b\u202e\n"


def test_bytes_that_are_not_utf_8_are_escaped(written: Written) -> None:
    (entry,) = json.loads(written("json", odd("\udcff.yaml")))["findings"]
    assert entry["path"] == entry["message"] == entry["related"][0]["note"] == "\\xff.yaml"


def test_without_findings_it_is_a_document(written: Written) -> None:
    assert json.loads(written("json", Checked(()))) == {"format_version": 1, "findings": []}


def test_a_line_is_a_finding_with_the_version(checked: Checked, written: Written) -> None:
    lines = [json.loads(line) for line in written("jsonl", checked).split("\n")]
    document = json.loads(written("json", checked))
    assert lines == [{"format_version": 1, **entry} for entry in document["findings"]]


def test_without_findings_there_is_no_line(written: Written) -> None:
    assert written("jsonl", Checked(())) == ""
