"""How a schema that cannot be used is told."""

from pathlib import Path

import pytest

from forge_cli.manifest.check import check
from forge_cli.manifest.files import Files
from forge_cli.manifest.reading.source import parse

TEXT = """\
forge: 1
work_items: {a: {run: [x], capabilities: [], completion: verdict.json}}
"""


@pytest.mark.parametrize("content", ["", "[]", "{"])
def test_a_file_without_a_schema_is_told_with_one_to_type(content: str, tmp_path: Path) -> None:
    (tmp_path / "verdict.json").write_text(content)
    (found,) = check(parse(TEXT.encode()), "x.yaml", files=Files(str(tmp_path)))
    assert found.rule == "bad-schema"
    assert found.hint == 'write a JSON Schema, such as  {"type": "object"}'
