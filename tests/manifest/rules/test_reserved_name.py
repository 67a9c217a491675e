"""Names of sub-tasks that their item's pattern gives to outputs of its own."""

from collections.abc import Callable

import pytest

from forge_cli.manifest.findings import Finding

Findings = Callable[..., list[Finding]]

MANIFEST = """\
forge: 1
roles:
  a: {{capabilities: [], outputs: [value, risk], handler: {{kind: command, argv: [bin/a]}}}}
work_items:
  g: {{pattern: {pattern}{more}, sub_tasks: {{{name}: {{role: a}}, other: {{role: a}}}}}}
"""


@pytest.mark.parametrize(
    ("pattern", "more", "name"),
    [
        ("joint", "", "board"),
        ("joint", "", "conflicts"),
        ("broadcast", ", channels: [c]", "log"),
        ("resolve", "", "resolution"),
    ],
)
def test_an_output_of_the_pattern_is_no_name_for_a_sub_task(
    findings: Findings, pattern: str, more: str, name: str
) -> None:
    (found,) = findings(MANIFEST.format(pattern=pattern, more=more, name=name))
    assert (found.rule, found.spot.path) == (
        "reserved-name",
        ("work_items", "g", "sub_tasks", name),
    )


@pytest.mark.parametrize("name", ["board", "log"])
def test_where_the_pattern_gives_no_such_output_the_name_is_free(
    findings: Findings, name: str
) -> None:
    assert findings(MANIFEST.format(pattern="resolve", more="", name=name)) == []
