"""What a fault of the shape leaves unknown is not judged."""

import pytest

from forge_cli.manifest.consequences import Consequences, judgeable
from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.reading.source import parse
from forge_cli.manifest.shape.structure import structure
from forge_cli.manifest.subject import Subject

HEAD = """\
forge: 1
roles:
  builder: {capabilities: [], handler: {kind: function, call: "handlers.py:build"}}
work_items:
  build: {role: builder}
"""


def subject(text: str) -> Subject:
    source = parse((HEAD + text).encode())
    return Subject(source, structure(source.data, source.holes))


def finding(*path: str | int, rule: str = "scope-exceeds-parent", related: Path = ()) -> Finding:
    return Finding(rule, Spot(path), "", related=(Spot(related),) if related else ())


@pytest.mark.parametrize("line", ["delegation: {}\n", "state:\n", "schemas: []\n"])
def test_a_manifest_that_lost_a_section_is_not_judged(line: str) -> None:
    assert not judgeable(subject(line))


@pytest.mark.parametrize("line", ["zzz: 1\n", "budget: {model_calls: three}\n"])
def test_a_manifest_with_other_faults_is_judged(line: str) -> None:
    assert judgeable(subject(line))


def test_a_finding_at_a_place_that_has_a_fault_follows_from_it() -> None:
    faulty = Consequences(subject("  review: {role: builder, scope: 3}\n"))
    assert faulty.include(finding("work_items", "review", "scope", 0))
    assert not faulty.include(finding("work_items", "review", "writes", 0))


def test_findings_about_an_item_whose_doer_is_not_known_follow() -> None:
    faulty = Consequences(subject("  review: {role: }\n"))
    assert faulty.include(finding("work_items", "review", "scope", 0))
    assert faulty.include(finding("work_items", "build", related=("work_items", "review")))
    assert not faulty.include(finding("work_items", "build"))


def test_a_misspelt_order_silences_only_what_is_about_order() -> None:
    faulty = Consequences(subject("  review: {role: builder, needs: [build]}\n"))
    assert faulty.include(finding("work_items", "build", rule="write-conflict"))
    assert not faulty.include(finding("work_items", "review", "scope", 0))


def test_lost_outputs_silence_references() -> None:
    faulty = Consequences(subject("  review: {role: builder, outputs: }\n"))
    assert faulty.include(finding("work_items", "build", "goal", rule="unknown-reference"))
