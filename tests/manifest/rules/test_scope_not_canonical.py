"""Places that name one exact file, beyond the examples of the rule."""

from collections.abc import Callable

import pytest

from forge_cli.manifest.findings import Finding

Findings = Callable[..., list[Finding]]

PACKAGE = """
forge: 1
context_packages:
  brief:
    summary: {{source: s, author: a, confidence: "1", text: t, artifacts: ["{file}"]}}
    transcript: "{file}"
    max_bytes: 9999
work_items: {{a: {{run: [x], capabilities: []}}}}
"""
EVIDENCE = """
forge: 1
work_items: {{a: {{run: [x], capabilities: [], evidence: ["{file}"]}}}}
"""


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("files:src/*", "'files:src/*' is to name one file"),
        ("files:../x", "'..'"),
        ("files:/etc/passwd", "absolute"),
    ],
)
@pytest.mark.parametrize(("text", "places"), [(PACKAGE, 2), (EVIDENCE, 1)])
def test_a_file_is_named_exactly(
    findings: Findings, text: str, places: int, file: str, message: str
) -> None:
    found = findings(text.format(file=file))
    assert [each.rule for each in found] == ["scope-not-canonical"] * places
    assert all(message in each.message for each in found)


@pytest.mark.parametrize("file", ["notes.md", "net:example.org:443"])
def test_what_is_handed_over_is_a_file_of_the_workspace(findings: Findings, file: str) -> None:
    rules = [each.rule for each in findings(PACKAGE.format(file=file))]
    assert rules == ["scope-not-canonical"] * 2


@pytest.mark.parametrize("text", [PACKAGE, EVIDENCE])
def test_a_path_below_the_workspace_is_fine(findings: Findings, text: str) -> None:
    assert findings(text.format(file="files:docs/plan.md")) == []
