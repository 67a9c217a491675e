"""What sub-tasks have from their item, or by a contract, is held against every link above them."""

from collections.abc import Callable

import pytest

from forge_cli.manifest.check import check
from forge_cli.manifest.findings import Finding
from forge_cli.manifest.reading.source import parse

Found = Callable[[str], list[Finding]]

TEXT = """\
forge: 1
roles:
  lead:
    capabilities: [read]
    budget: {model_calls: 50}
    delegates: {to: [writer]}
    handler: {kind: command, argv: [x]}
  writer:
    capabilities: [read, write]
    scope: ['files:docs/**', 'files:src/api/**']
    outputs: [text, note]
    handler: {kind: command, argv: [x]}
schemas: {any@1: {type: object}}
delegations:
  d:
    delegator: agent:lead
    delegate: agent:writer
    purpose: Write
    scope: ['files:docs/**']
    authority: [read]
    completion: schema:any@1
    deadline: 2h
    budget: {model_calls: 40}
    on_failure: fail
work_items:
  other: {delegation: d}
  a:
    pattern: parallel
    after: [other]
    writes: []
"""


@pytest.fixture
def found() -> Found:
    """What is found of an item whose further keys are these."""

    def of(keys: str, text: str = TEXT) -> list[Finding]:
        lines = "".join(f"    {line}\n" for line in keys.splitlines())
        return check(parse((text + lines).encode()), "x.yaml")

    return of


@pytest.mark.parametrize(
    ("keys", "rule", "message", "place"),
    [
        (
            "scope: ['files:docs/a/**']\nsub_tasks: {b: {delegation: d}}",
            "scope-exceeds-parent",
            "scope exceeds item 'a'",
            ("delegations", "d", "scope", 0),
        ),
        (
            "budget: {model_calls: 39}\nsub_tasks: {b: {delegation: d}}",
            "budget-exceeds-parent",
            "model_calls 40 exceeds the 39 of item 'a'",
            ("delegations", "d", "budget", "model_calls"),
        ),
        (
            "deadline: 1h\nsub_tasks: {b: {delegation: d}}",
            "deadline-after-parent",
            "deadline 2h is later than the 1h of item 'a'",
            ("delegations", "d", "deadline"),
        ),
        (
            "deadline: 1h\ndelegation: d\nsub_tasks: {b: {}}",
            "deadline-after-parent",
            "deadline 2h is later than the 1h of item 'a'",
            ("delegations", "d", "deadline"),
        ),
        (
            "risk: read_only\nsub_tasks: {b: {role: lead}, c: {role: writer}}",
            "risk-understated",
            "item 'a.c' says risk 'read_only', and its grant is 'reversible'",
            ("work_items", "a", "risk"),
        ),
        (
            "outputs: [verdict, text]\nsub_tasks: {b: {role: writer}, c: {role: writer}}",
            "output-exceeds-role",
            "output 'verdict' exceeds role 'writer'",
            ("work_items", "a", "outputs", 0),
        ),
        (
            "scope: ['files:docs/**', 'files:web/**']\nsub_tasks: {b: {role: writer}}",
            "scope-exceeds-parent",
            "the scope that sub-task 'a.b' has from item 'a' exceeds role 'writer'",
            ("work_items", "a", "sub_tasks", "b"),
        ),
    ],
)
def test_a_widening_is_told_at_its_cause(
    keys: str, rule: str, message: str, place: tuple[str | int, ...], found: Found
) -> None:
    assert [(f.rule, f.message, f.spot.path) for f in found(keys)] == [(rule, message, place)]


@pytest.mark.parametrize(
    "keys",
    [
        "scope: ['files:docs/**', 'files:src/**']\nsub_tasks: {b: {role: writer}}",
        "scope: ['files:docs/**']\nsub_tasks: {b: {delegation: d}}",
        "budget: {model_calls: 40}\ndeadline: 2h\nsub_tasks: {b: {delegation: d}}",
        "risk: read_only\nsub_tasks: {b: {role: writer, risk: reversible}}",
        "outputs: [verdict]\nsub_tasks: {b: {role: writer, outputs: [text]}}",
        "scope: ['files:web/**']\nsub_tasks: {b: {run: [x], capabilities: []}}",
    ],
)
def test_what_is_no_wider_is_sound(keys: str, found: Found) -> None:
    assert found(keys) == []


@pytest.mark.parametrize(
    ("scope", "hint"),
    [
        ("['files:docs/a/**', 'files:web/**']", "write  scope: [files:docs/a/**]  in the sub-task"),
        (
            "['files:web/**']",
            "give it another role, or item 'a' a scope that role 'writer' reaches, too",
        ),
    ],
)
def test_what_both_reach_is_what_to_write(scope: str, hint: str, found: Found) -> None:
    (finding,) = found(f"scope: {scope}\nsub_tasks: {{b: {{role: writer}}}}")
    assert finding.hint == hint


def test_a_contract_may_not_spend_more_than_its_delegator() -> None:
    text = TEXT.replace("model_calls: 50", "model_calls: 39").partition("  a:\n")[0]
    (finding,) = check(parse(text.encode()), "x.yaml")
    assert finding.message == "model_calls 40 exceeds the 39 of role 'lead'"
