"""An item that somebody else does: what it is given by whoever does it counts as its own."""

from collections.abc import Callable

import pytest

from forge_cli.manifest.comparison.compare import compare
from forge_cli.manifest.comparison.sides import Side

Weights = Callable[[str, str], dict[str, str]]

TEXT = """\
forge: 1
secrets: [TOKEN]
roles:
  plain: {{capabilities: [read], handler: {{kind: command, argv: [x], sandbox: namespace}}}}
  trusted: {{capabilities: [read], handler: {{kind: command, argv: [x], secrets: [TOKEN]}}}}
  model: {{capabilities: [read], handler: {{kind: agent, model: m, tools: [look]}}}}
  other: {{capabilities: [read], handler: {{kind: agent, model: m}}}}
  lead:
    capabilities: [read]
    delegates: {{to: [plain], depth: 2}}
    handler: {{kind: command, argv: [x]}}
  chief:
    capabilities: [read]
    delegates: {{to: [lead], depth: 3}}
    handler: {{kind: command, argv: [x]}}
schemas: {{any@1: {{type: object}}}}
delegations:
  narrow: {{{contract}, depth: 0}}
  wide: {{{contract}, depth: 2}}
work_items:
  keep: {{run: [x], capabilities: [], secrets: [TOKEN]}}
  a: {{{item}}}
"""
CONTRACT = (
    "delegator: agent:chief, delegate: agent:lead, purpose: Do, scope: ['files:**'],"
    " authority: [read], completion: schema:any@1, deadline: 1h, budget: {}, on_failure: fail"
)


@pytest.fixture
def weights(side: Callable[..., Side]) -> Weights:
    """How much each difference of the item weighs, by aspect, between two ways to write it."""

    def of(old: str, new: str) -> dict[str, str]:
        was, now = (side(TEXT.format(contract=CONTRACT, item=item)) for item in (old, new))
        return {change.aspect: change.verdict.weight for change in compare(was, now)}

    return of


@pytest.mark.parametrize(
    ("old", "new", "aspect"),
    [
        ("role: plain", "role: trusted", "secrets"),
        ("role: plain", "role: plain, secrets: [TOKEN]", "secrets"),
        ("role: plain", "run: [x], capabilities: [read], secrets: [TOKEN]", "secrets"),
        ("run: [x], capabilities: [read]", "role: trusted", "secrets"),
        ("role: model", "role: other", "tools"),
        ("role: plain", "role: trusted", "sandbox"),
        ("role: plain", "role: plain, sandbox: 'off'", "sandbox"),
        ("role: plain", "role: plain, sandbox: landlock", "sandbox"),
        ("role: plain", "role: lead", "depth"),
        ("role: plain", "role: lead", "delegates"),
        ("role: plain", "role: lead", "delegated capabilities"),
        ("run: [x], capabilities: [read]", "role: lead", "depth"),
        ("delegation: narrow", "delegation: wide", "depth"),
        ("delegation: narrow", "delegation: wide", "delegates"),
    ],
)
def test_what_it_gains_by_that_is_breaking(
    old: str, new: str, aspect: str, weights: Weights
) -> None:
    assert weights(old, new)[aspect] == "breaking"


@pytest.mark.parametrize(
    ("old", "new", "aspect", "weight"),
    [
        ("role: trusted", "role: plain", "secrets", "compatible"),
        ("role: other", "role: model", "tools", "compatible"),
        ("role: trusted", "role: trusted, sandbox: namespace", "sandbox", "behavioural"),
        ("role: chief", "role: plain", "depth", "compatible"),
    ],
)
def test_what_it_loses_by_that_is_not(
    old: str, new: str, aspect: str, weight: str, weights: Weights
) -> None:
    assert weights(old, new)[aspect] == weight


def test_what_its_role_is_given_it_is_not_told_to_be_given_again(
    side: Callable[..., Side],
) -> None:
    text = TEXT.format(contract=CONTRACT, item="role: plain")
    wider = text.replace("[x], sandbox: namespace", "[x], secrets: [TOKEN]")
    found = compare(side(text), side(wider))
    assert sorted((change.part, change.aspect) for change in found) == [
        ("role 'plain'", "sandbox"),
        ("role 'plain'", "secrets"),
    ]
