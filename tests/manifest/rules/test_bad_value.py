"""Values with a grammar or a type, beyond the examples of the rule."""

from collections.abc import Callable

import pytest

from forge_cli.manifest.findings import Finding

Findings = Callable[..., list[Finding]]

ONE = "work_items: {a: {run: [x], capabilities: []}}"


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ("{type: integer, default: x}", 'to be of type integer, "x" is not'),
        ("{type: integer, default: 1.5}", "to be of type integer, 1.5 is not"),
        ("{type: number, default: true}", "to be of type number, true is not"),
        ("{type: boolean, default: 1}", "to be of type boolean, 1 is not"),
        ("{type: string, default: 3}", "to be of type string, 3 is not"),
        ("{type: array, default: {}}", "to be of type array, {} is not"),
    ],
)
def test_a_default_has_the_type_of_its_input(findings: Findings, declared: str, words: str) -> None:
    (found,) = findings(f"forge: 1\ninputs: {{n: {declared}}}\n{ONE}")
    assert found.rule == "bad-value"
    assert found.message.endswith(words)


@pytest.mark.parametrize(
    "declared",
    [
        "{type: number, default: 1}",
        "{default: 1}",
        "{type: integer}",
        "{type: object, default: {}}",
    ],
)
def test_a_default_that_has_it_is_fine(findings: Findings, declared: str) -> None:
    assert findings(f"forge: 1\ninputs: {{n: {declared}}}\n{ONE}") == []
