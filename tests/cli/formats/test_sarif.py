"""Findings as SARIF, held against the schema that OASIS published."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from forge_cli import __version__
from forge_cli.app.validate import Report, check_file
from forge_cli.cli.formats import Checked
from forge_cli.manifest.findings import Finding, Place, Spot
from forge_cli.manifest.rules import RULES
from tests.field_reports.pitfalls import ROWS

Written = Callable[[str, Checked], str]
SCHEMA = Path(__file__).parent / "data" / "sarif-schema-2.1.0.json"


@pytest.fixture
def run(written: Written) -> Callable[[Checked], dict[str, Any]]:
    """The only run of a document that the schema takes."""
    schema = Draft7Validator(json.loads(SCHEMA.read_text("utf-8")))

    def read(checked: Checked) -> dict[str, Any]:
        document = json.loads(written("sarif", checked))
        assert [error.message for error in schema.iter_errors(document)] == []
        (found,) = document["runs"]
        return dict(found)

    return read


Run = Callable[[Checked], dict[str, Any]]


def one(finding: Finding, path: str = "a.yaml") -> Checked:
    """A report of one finding."""
    return Checked((Report(path, (finding,), b""),))


PLAIN = Finding("unknown-key", Spot(place=Place(1, 1, 1, 2)), "a message")


def test_a_result_has_its_rule_place_and_related_places(checked: Checked, run: Run) -> None:
    result = run(checked)["results"][0]
    assert result["ruleId"] == "capability-exceeds-role"
    assert result["level"] == "error"
    assert result["message"]["text"] == (
        "'repository-write' exceeds role 'reviewer'\nwrite  capabilities: [repository-read]"
    )
    assert result["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "a.yaml", "uriBaseId": "SRCROOT"},
                "region": {"startLine": 4, "startColumn": 7, "endLine": 4, "endColumn": 23},
            },
            "message": {"text": "not held by the role"},
        }
    ]
    (related,) = result["relatedLocations"]
    assert related["physicalLocation"]["artifactLocation"]["uri"] == "team/roles.yaml"
    assert related["physicalLocation"]["region"]["startLine"] == 2
    assert related["message"]["text"] == "role 'reviewer' holds 1: 'repository-read'"


def test_columns_are_code_points(run: Run) -> None:
    found = run(Checked((check_file("a.yaml", "forge: 1\n'é漢😀': 1\n".encode()),)))
    assert found["columnKind"] == "unicodeCodePoints"
    (region,) = (
        result["locations"][0]["physicalLocation"]["region"]
        for result in found["results"]
        if result["ruleId"] == "unknown-key"
    )
    assert (region["startColumn"], region["endColumn"]) == (1, 6)


def test_the_rules_that_found_something_are_described(checked: Checked, run: Run) -> None:
    driver = run(checked)["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("forge", __version__)
    assert [rule["id"] for rule in driver["rules"]] == ["capability-exceeds-role", "unused-role"]
    unused = driver["rules"][1]
    assert unused["shortDescription"]["text"].startswith("Finds roles that")
    assert "Bad:" not in unused["fullDescription"]["text"]
    assert "Bad:\n```yaml\n" in unused["help"]["markdown"]
    assert unused["defaultConfiguration"] == {"level": "warning"}


def test_every_rule_can_be_described(run: Run) -> None:
    findings = tuple(PLAIN._replace(rule=name) for name in RULES)
    described = run(Checked((Report("a.yaml", findings, b""),)))["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in described] == sorted(RULES)
    assert all(rule["shortDescription"]["text"].endswith(".") for rule in described)


def test_every_pitfall_fits_the_schema(run: Run) -> None:
    texts = [text.encode() if isinstance(text, str) else text for text, _ in ROWS.values()]
    found = run(Checked(tuple(check_file(f"{n}.yaml", each) for n, each in enumerate(texts))))
    assert len(found["artifacts"]) == len(ROWS)
    assert len(found["results"]) >= len(ROWS)


def test_findings_are_no_failure_of_the_call(checked: Checked, run: Run) -> None:
    (call,) = run(checked)["invocations"]
    assert (call["executionSuccessful"], call["exitCode"]) == (True, 1)


def test_what_could_not_be_read_is(run: Run) -> None:
    (call,) = run(Checked((), ("'a' does not exist",), 2))["invocations"]
    assert (call["executionSuccessful"], call["exitCode"]) == (False, 2)
    (notification,) = call["toolExecutionNotifications"]
    assert notification == {"level": "error", "message": {"text": "'a' does not exist"}}


ADDRESSES = {
    "a.yaml": "a.yaml",
    "./b/../a.yaml": "a.yaml",
    "a b%#?.yaml": "a%20b%25%23%3F.yaml",
    "c:a.yaml": "c%3Aa.yaml",
    "é\n\udcff.yaml": "%C3%A9%0A%FF.yaml",
}


@pytest.mark.parametrize(("path", "address"), ADDRESSES.items())
def test_an_address_counts_from_the_root_whatever_is_in_the_name(
    path: str, address: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b").mkdir()
    (artifact,) = run(one(PLAIN, path))["artifacts"]
    assert artifact["location"] == {"uri": address, "uriBaseId": "SRCROOT"}


def test_an_address_outside_of_the_root_is_absolute(run: Run) -> None:
    (artifact,) = run(one(PLAIN, "/nowhere/a b.yaml"))["artifacts"]
    assert artifact["location"] == {"uri": "file:///nowhere/a%20b.yaml"}


def test_nothing_in_a_message_becomes_a_link(run: Run) -> None:
    (result,) = run(one(PLAIN._replace(message="see [this](https://x) and [1](1)")))["results"]
    assert result["message"]["text"] == r"see \[this\](https://x) and \[1\](1)"


IDLE = """\
forge: 1
roles:
  # forge: ignore[unused-role] kept for the night shift
  idle: {capabilities: [], handler: {kind: command, argv: [idle]}}
  lazy: {capabilities: [], handler: {kind: command, argv: [lazy]}}
work_items:
  hello: {run: [echo, hello], capabilities: []}
"""


def test_a_silenced_warning_is_a_result_that_is_suppressed_for_its_reason(run: Run) -> None:
    idle, lazy = run(Checked((check_file("a.yaml", IDLE.encode()),)))["results"]
    assert idle["suppressions"] == [
        {"kind": "inSource", "justification": "kept for the night shift"}
    ]
    assert lazy["suppressions"] == []


def test_errors_that_are_not_shown_are_a_notification_at_their_file(
    unselected: Checked, run: Run
) -> None:
    found = run(unselected)
    (told,) = found["invocations"][0]["toolExecutionNotifications"]
    assert told["message"]["text"].startswith("2 errors of other rules")
    (where,) = told["locations"]
    assert where["physicalLocation"]["artifactLocation"]["uri"] == "a.yaml"
    assert found["results"] == []
