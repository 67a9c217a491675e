"""What is advised for a name that leads to no file."""

from pathlib import Path

import pytest

from forge_cli.manifest.check import check
from forge_cli.manifest.files import Files
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


@pytest.mark.parametrize(
    ("written", "note"),
    [
        ("schemas/verdct.json", "did you mean 'schemas/verdict.json'?"),
        ("schemas/plan.json", ""),
        ("../outside/verdict.json", ""),
        ("nowhere/verdict.json", ""),
    ],
)
def test_a_file_beside_it_with_a_similar_name_is_named(
    written: str, note: str, tmp_path: Path
) -> None:
    for name in ("here/schemas/verdict.json", "outside/verdct.json"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("{}")
    text = f"""\
forge: 1
work_items: {{a: {{run: [x], capabilities: [], completion: {written}}}}}
"""
    (found,) = check(parse(text.encode()), "x.yaml", files=Files(tmp_path / "here"))
    assert (found.rule, found.spot.note) == ("missing-file", note)


def test_an_included_file_beside_it_is_named_likewise(tmp_path: Path) -> None:
    (tmp_path / "roles.yaml").write_text("roles: {}\n")
    text = """\
forge: 1
include: [rols.yaml]
work_items: {a: {run: [x], capabilities: []}}
"""
    (found,) = check(parse(text.encode()), "x.yaml", files=Files(tmp_path))
    assert (found.rule, found.spot.note) == ("unreadable-include", "did you mean 'roles.yaml'?")
