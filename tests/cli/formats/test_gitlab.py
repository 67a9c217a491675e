"""Findings as a code quality report of GitLab."""

import json
from collections.abc import Callable

from forge_cli.app.validate import Report
from forge_cli.cli.formats import Checked

Written = Callable[[str, Checked], str]


def test_an_entry_has_every_field(checked: Checked, written: Written) -> None:
    entry, other = json.loads(written("gitlab", checked))
    fingerprint = entry.pop("fingerprint")
    assert entry == {
        "description": (
            "'repository-write' exceeds role 'reviewer'; write  capabilities: [repository-read]"
        ),
        "check_name": "capability-exceeds-role",
        "severity": "major",
        "location": {"path": "a.yaml", "lines": {"begin": 4}},
    }
    assert other["severity"] == "minor"
    assert fingerprint != other["fingerprint"]


def test_a_path_does_not_begin_with_a_dot(checked: Checked, written: Written) -> None:
    report = checked.reports[0]._replace(path="./a.yaml")
    (entry, _) = json.loads(written("gitlab", checked._replace(reports=(report,))))
    assert entry["location"]["path"] == "a.yaml"


def test_without_findings_it_is_an_empty_list(written: Written) -> None:
    assert json.loads(written("gitlab", Checked((Report("a", (), b""),)))) == []


def test_errors_that_are_not_shown_are_an_entry_at_their_file(
    unselected: Checked, written: Written
) -> None:
    (entry,) = json.loads(written("gitlab", unselected))
    assert entry["description"].startswith("2 errors of other rules")
    assert entry["severity"] == "major"
    assert entry["location"] == {"path": "a.yaml", "lines": {"begin": 1}}
