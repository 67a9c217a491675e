"""Who may return to a state key, beyond the examples of the rule."""

from collections.abc import Callable

import pytest

from forge_cli.manifest.findings import Finding

Findings = Callable[..., list[Finding]]

MANIFEST = """
forge: 1
state: {{k: {{owner: reader}}}}
roles:
  reader: {{capabilities: [], handler: {{kind: command, argv: [bin/read]}}}}
  other: {{capabilities: [], handler: {{kind: command, argv: [bin/read]}}}}
work_items:
  a: {{{item}, return_channel: "state:k"}}
  b: {{role: reader}}
  c: {{role: other}}
"""


@pytest.mark.parametrize(
    ("item", "hint"),
    [
        ("role: other", "return to a key that 'other' owns"),
        ("run: [x], capabilities: []", "return to a key that  state  does not list"),
        (
            "pattern: parallel, sub_tasks: {x: {role: reader}}",
            "let a sub-task of 'reader' return to it",
        ),
    ],
)
def test_only_owners_write_a_key(findings: Findings, item: str, hint: str) -> None:
    (found,) = findings(MANIFEST.format(item=item))
    assert found.message == "item 'a' writes state 'k', which 'reader' owns"
    assert found.hint == hint


@pytest.mark.parametrize(
    "item", ["role: reader", "role: agent:reader@1", "role: reader, for_each: [1, 2]"]
)
def test_its_owner_may(findings: Findings, item: str) -> None:
    assert findings(MANIFEST.format(item=item)) == []
