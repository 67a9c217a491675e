"""What is advised for a completion that leads to no file."""

import pytest

from forge_cli.manifest.check import check
from forge_cli.manifest.reading.source import parse


@pytest.mark.parametrize("written", ["verdict@1", "verdict", "verdct@1"])
def test_a_schema_of_the_manifest_that_was_meant_is_named(written: str) -> None:
    text = f"""\
forge: 1
schemas: {{verdict@1: {{type: object}}}}
work_items: {{a: {{run: [x], capabilities: [], completion: {written}}}}}
"""
    (found,) = check(parse(text.encode()), "x.yaml")
    assert found.rule == "missing-file"
    assert found.hint == "write  completion: schema:verdict@1"


def test_a_file_that_no_schema_resembles_is_looked_for_beside_the_manifest() -> None:
    text = """\
forge: 1
schemas: {verdict@1: {type: object}}
work_items: {a: {run: [x], capabilities: [], completion: schemas/other.json}}
"""
    (found,) = check(parse(text.encode()), "x.yaml")
    assert found.hint == (
        "files are named from the manifest's folder, and lie below it\n"
        'mend the name, or create the file with a JSON Schema, such as  {"type": "object"}'
    )
