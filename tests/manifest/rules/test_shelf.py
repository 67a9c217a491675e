"""What holds for every rule of the shelf."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import forge_cli.manifest.rules as shelf
from forge_cli.app.validate import report
from forge_cli.manifest.check import subject_of
from forge_cli.manifest.files import Files
from forge_cli.manifest.findings import Finding
from forge_cli.manifest.reading.source import parse
from forge_cli.manifest.rules import RULES, load

NOW = 1_790_000_000_000
"""A day in September 2026, before every deadline that a good example names."""

UNSHOWN = {"too-large", "too-many-faults"}
"""Rules whose bad example would be too long to read."""

Examples = Callable[[str], dict[str, Any]]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder on the path, in which the distributions of examples are installed."""
    monkeypatch.syspath_prepend(tmp_path)


def findings_of(example: Any) -> list[Finding]:
    if any(".dist-info/" in name for name in example.files):
        install(example.files, Path(sys.path[0]))
    files = Files(None, example.files)
    subject = subject_of(parse(example.text), "example.yaml", NOW, files)
    return list(report(subject, example.text).findings)


def install(files: dict[str, bytes], folder: Path) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)


def test_every_module_of_the_shelf_is_in_the_table_and_the_other_way_round() -> None:
    folder = Path(shelf.__file__).parent
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert modules == {rule.replace("-", "_") for rule in RULES}


@pytest.mark.parametrize("rule", RULES)
def test_the_documentation_says_what_is_found(rule: str) -> None:
    doc = load(rule).__doc__ or ""
    assert doc.startswith("Finds ")
    assert "manifest" in doc or "Bad:" in doc


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule not in UNSHOWN])
def test_the_bad_example_is_found_at_the_marked_places_and_nothing_else_is(
    rule: str, examples: Examples
) -> None:
    bad = examples(rule)["Bad"]
    found = [
        (finding.rule, place.line, place.column, place.end_column)
        for finding in findings_of(bad)
        for place in [finding.spot.place]
        if place is not None
    ]
    assert sorted(found) == [(rule, *mark) for mark in bad.marks]


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule not in UNSHOWN])
def test_the_severity_is_the_one_of_the_table(rule: str, examples: Examples) -> None:
    assert {each.severity for each in findings_of(examples(rule)["Bad"])} == {RULES[rule].severity}


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule not in UNSHOWN])
def test_the_good_example_has_no_findings(rule: str, examples: Examples) -> None:
    assert findings_of(examples(rule)["Good"]) == []
