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


def subject(text: str, head: str = HEAD) -> Subject:
    source = parse((head + text).encode())
    return Subject(source, structure(source.data, source.holes))


def finding(*path: str | int, rule: str = "scope-exceeds-parent", related: Path = ()) -> Finding:
    return Finding(rule, Spot(path), "", related=(Spot(related),) if related else ())


@pytest.mark.parametrize("line", ["delegation: {}\n", "capabilities:\n", "include: {}\n"])
def test_a_manifest_that_lost_a_section_is_not_judged(line: str) -> None:
    assert not judgeable(subject(line))


@pytest.mark.parametrize("line", ["zzz: 1\n", "budget: {model_calls: three}\n", "schemas: []\n"])
def test_a_manifest_with_other_faults_is_judged(line: str) -> None:
    assert judgeable(subject(line))


def test_a_finding_at_a_place_that_has_a_fault_follows_from_it() -> None:
    faulty = Consequences(subject("  review: {role: builder, scope: 3}\n"))
    assert faulty.include(finding("work_items", "review", "scope", 0))
    assert not faulty.include(finding("work_items", "review", "risk", rule="risk-understated"))


def test_a_finding_that_the_lost_value_could_make_untrue_follows() -> None:
    faulty = Consequences(subject("  review: {role: builder, scope: 3}\n"))
    assert faulty.include(finding("work_items", "review", "writes", 0))
    assert not faulty.include(finding("work_items", "build", "writes", 0))


def test_what_a_role_or_the_run_lost_is_not_held_against_its_items() -> None:
    writes = finding("work_items", "build", "writes", 0)
    scope = finding("roles", "builder", "scope", 0)
    of_role = Consequences(subject("", HEAD.replace("{cap", "{scop: [], cap")))
    of_run = Consequences(subject("scope: 3\n"))
    assert (of_role.include(writes), of_run.include(writes)) == (True, True)
    assert (of_role.include(scope), of_run.include(scope)) == (True, True)
    of_another = Consequences(subject("  review: {run: [x], capabilities: [], scop: []}\n"))
    assert not of_another.include(writes)


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
    faulty = Consequences(
        subject(
            "  review: {role: builder, outputs: }\n"
            '  tell: {run: [echo, "${items.review.outputs.x}"], capabilities: []}\n'
        )
    )
    assert faulty.include(finding("work_items", "tell", "run", 1, rule="unknown-reference"))
    assert not faulty.include(finding("work_items", "tell", "run", 0, rule="unknown-reference"))
