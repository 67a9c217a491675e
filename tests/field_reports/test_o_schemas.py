"""References of JSON Schemas: to files, to addresses, to nothing, and without end."""

import json

import pytest

from tests.field_reports.processes import Ended, Forge

MANIFEST = """forge: 1
schemas: {main@1: schemas/main.json}
work_items:
  a: {run: [echo, hello], capabilities: [], completion: "schema:main@1"}
"""
CORE = {"definitions": {"x": {"properties": {"result": {"const": "hello"}}}}}


def manifest(forge: Forge, schema: object, **others: object) -> None:
    """A manifest whose one item's output must fit the schema."""
    forge.write("team/m.forge.yaml", MANIFEST)
    for name, document in {"main": schema, **others}.items():
        forge.write(f"team/schemas/{name}.json", json.dumps(document))


def validated(forge: Forge, schema: object, **others: object) -> Ended:
    manifest(forge, schema, **others)
    return forge("validate", "team", "--format", "concise")


def ran(forge: Forge, schema: object, **others: object) -> Ended:
    manifest(forge, schema, **others)
    return forge("run", "team/m.forge.yaml", "--workspace", ".")


def test_a_file_is_found_beside_the_schema_from_any_folder(forge: Forge) -> None:
    """cwacek/python-jsonschema-objects#66, networknt/json-schema-validator#611."""
    manifest(forge, {"$ref": "core.json#/definitions/x"}, core=CORE)
    (forge.folder / "elsewhere").mkdir()
    said = forge("run", "../team/m.forge.yaml", cwd=forge.folder / "elsewhere")
    assert said.code == 0


def test_a_schema_that_a_file_gives_is_enforced(forge: Forge) -> None:
    said = ran(forge, {"$ref": "core.json#/definitions/y"}, core={"definitions": {"y": False}})
    assert said.code == 1
    assert "main@1 does not hold" in said.out


def test_siblings_of_a_schema_with_a_dead_address_are_found(forge: Forge) -> None:
    """python-jsonschema/jsonschema#362, #463: they were looked up at the dead address."""
    schema = {"$id": "http://dead.invalid/main.json", "$ref": "core.json#/definitions/x"}
    assert ran(forge, schema, core=CORE).code == 0


def test_a_part_is_found_by_its_own_id(forge: Forge) -> None:
    """python-jsonschema/jsonschema#362: a local `$id` was taken for something to fetch."""
    inner = {"$id": "part.json", "$defs": {"q": {"required": ["nothing"]}}, "$ref": "#/$defs/q"}
    schema = {"$id": "http://dead.invalid/main.json", "$ref": "part.json", "$defs": {"p": inner}}
    said = ran(forge, schema)
    assert said.code == 1
    assert "'nothing' is a required property" in said.err


@pytest.mark.parametrize(
    "reference",
    ["../../../../../../etc/passwd", "../../outside.json", "file:///etc/passwd", "/etc/passwd"],
)
def test_nothing_outside_the_manifests_folder_is_read(forge: Forge, reference: str) -> None:
    """A natural neighbour of the reports above."""
    forge.write("outside.json", "{}")
    said = validated(forge, {"$ref": reference})
    assert said.code == 1
    assert "bad-schema" in said.out
    assert repr(reference) in said.out


def test_nothing_is_fetched(forge: Forge) -> None:
    said = validated(forge, {"$ref": "http://dead.invalid/x.json"})
    assert "is an address, and none of the manifest's schemas has it as its $id" in said.out


NONE = {
    "a pointer to nothing": {"$ref": "#/$defs/x"},
    "an anchor that is not there": {"$ref": "#x"},
    "a dynamic anchor that is not there": {"$dynamicRef": "#x"},
    "a file that is not there": {"$ref": "nothing.json"},
    "a file that is no schema": {"$ref": "core.json"},
    "a pattern that is none": {"properties": {"result": {"pattern": "("}}},
    "a pattern with too large a number": {"properties": {"result": {"pattern": "a{9999999999}"}}},
    "null": None,
    "a number": 3,
    "another language": {"$schema": "http://json-schema.org/draft-04/schema#"},
}


@pytest.mark.parametrize("schema", NONE.values(), ids=NONE.keys())
def test_what_is_no_schema_is_refused_before_the_run(forge: Forge, schema: object) -> None:
    """python-jsonschema/jsonschema#1278 and its kind."""
    said = validated(forge, schema, core={"type": "objet"})
    assert said.code == 1
    assert said.out.count("bad-schema") == 1


def test_null_passes_where_text_is_only_one_of_the_types(forge: Forge) -> None:
    """python-jsonschema/check-jsonschema#571, #576: a format was held against null."""
    forge.write("h.py", "def null(turn):\n    return {'result': None}\n")
    forge.write(
        "m.forge.yaml",
        "forge: 1\n"
        "schemas: {t@1: {properties: {result: {type: [string, 'null'], format: date-time}}}}\n"
        "roles: {r: {capabilities: [], handler: {kind: function, call: 'h.py:null'}}}\n"
        "work_items: {a: {role: r, completion: 'schema:t@1'}}\n",
    )
    assert forge("run", "m.forge.yaml").code == 0


def test_a_format_is_held_against_text(forge: Forge) -> None:
    said = ran(forge, {"properties": {"result": {"format": "date-time"}}})
    assert said.code == 1
    assert "'hello' is not a 'date-time'" in said.err


def test_a_schema_that_refers_to_itself_without_end_refuses_the_result(forge: Forge) -> None:
    said = ran(forge, {"$ref": "#"})
    assert said.code == 1
    assert "it refers to itself without end" in said.err


@pytest.mark.parametrize(
    "schema",
    [
        {"$id": "http://[bad"},
        {"$ref": "http://[bad#/x"},
        {"$ref": "#/allOf/\u00b2", "allOf": [{}]},
        {"$ref": f"#/allOf/{'1' * 5_000}", "allOf": [{}]},
        {"required": [[0], *([n] for n in range(9_000)), 1, 1.0]},
        {"dependentRequired": {"a": [{"a": n} for n in range(9_000)]}},
        {"properties": {"a": {"type": [{"a": n} for n in range(9_000)]}}},
    ],
    ids=lambda schema: str(schema)[:24],
)
def test_a_hostile_schema_is_one_finding(forge: Forge, schema: object) -> None:
    """Beyond the reports: addresses and numbers that raise, lists that take time squared."""
    said = validated(forge, schema)
    assert said.code == 1
    assert said.out.count("bad-schema") == 1


def test_a_schema_that_is_nested_without_end_is_refused(forge: Forge) -> None:
    manifest(forge, {})
    forge.write("team/schemas/main.json", '{"not":' * 400 + "{}" + "}" * 400)
    said = forge("validate", "team", "--format", "concise")
    assert "schema 'schemas/main.json': is nested more than 100 levels deep" in said.out


def test_of_equal_anchors_the_first_counts(forge: Forge) -> None:
    properties = {"a": {"$anchor": "x", "const": 1}, "b": {"$anchor": "x", "const": 2}}
    schema = {"properties": {"result": {"$ref": "#x"}}, "$defs": properties}
    assert "1 was expected" in ran(forge, schema).err
