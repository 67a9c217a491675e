"""Where in a manifest the links of chains stand."""

from pathlib import Path

import pytest

from forge_cli.app.links import line_of

MANIFEST = """\
forge: 1
scope: ["files:**"]
roles:
  lead:
    capabilities: [read]
    delegates: {to: [helper], capabilities: [read]}
    handler:
      kind: agent
      tools: [read_file]
delegations:
  d:
    authority: [read]
work_items:
  a:
    role: lead
    writes: []
  b:
    sub_tasks:
      c:
        scope: []
"""


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    (tmp_path / "m.yaml").write_text(MANIFEST, "utf-8")
    return tmp_path / "m.yaml"


@pytest.mark.parametrize(
    ("link", "key", "line"),
    [
        ("run", "scope", 2),
        ("role:lead", "capabilities", 5),
        ("role:lead", "scope", 4),
        ("role:lead", "tools", 9),
        ("delegates:lead", "capabilities", 6),
        ("delegates:lead", "scope", 4),
        ("delegation:d", "capabilities", 12),
        ("item:a", "writes", 16),
        ("item:a.0", "writes", 16),
        ("item:b.c", "scope", 20),
        ("item:b.c", "capabilities", 19),
        ("item:a", "capabilities", 14),
        ("role:elsewhere", "scope", 0),
        ("item:a.child-1-1", "scope", 0),
    ],
)
def test_a_link_is_where_its_key_stands_or_would_stand(
    manifest: Path, link: str, key: str, line: int
) -> None:
    assert line_of(manifest, {"link": link, "key": key}) == line


def test_what_forge_itself_refuses_stands_nowhere(manifest: Path) -> None:
    assert line_of(manifest, {}) == 0


def test_a_manifest_that_is_gone_has_no_lines(tmp_path: Path) -> None:
    assert line_of(tmp_path / "m.yaml", {"link": "run", "key": "scope"}) == 0
