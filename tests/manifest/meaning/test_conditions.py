"""Findings about conditions, criteria and schemas."""

from collections.abc import Callable

import pytest

from forge_cli.manifest.findings import Finding

Findings = Callable[..., list[Finding]]


def only(found: list[Finding]) -> Finding:
    (finding,) = found
    return finding


@pytest.mark.parametrize(
    ("condition", "message", "hint"),
    [
        ("items.a-b.outputs.result", "'a-b' has a hyphen", 'write  items."a-b".outputs.result'),
        (
            'length(items."a-b".outputs.result) > 0',
            "0 is a literal",
            'write  length(items."a-b".outputs.result) > `0`',
        ),
        ("itms.x", "'itms' is always null here", "a name that is meant as text"),
        ("inputs.n == yes", "'yes' is always null here", "a name that is meant as text"),
        ("len(inputs.n) > `0`", "there is no function 'len'", "functions: abs"),
        ("inputs.n ==", "is not complete", "names with hyphens"),
        ("length(items) > `0`", "'items' is looked at as a whole", "name what you need"),
        ("!inputs.n", "'inputs' is looked at as a whole", "write  !(inputs.n)"),
        ('items."a-b".output.result', "an item has 'outputs' and 'status'", "write  items."),
    ],
)
def test_a_condition_that_would_be_null_is_told(
    condition: str, message: str, hint: str, findings: Findings
) -> None:
    found = only(
        findings(
            f"""
            forge: 1
            inputs: {{n: {{}}}}
            work_items:
              a-b: {{run: [x], capabilities: []}}
              c:
                run: [x]
                capabilities: []
                when: >-
                  {condition}
            """
        )
    )
    assert found.rule == "bad-expression"
    assert message in found.message
    assert hint in found.hint


def test_a_condition_on_an_unknown_input_is_told(findings: Findings) -> None:
    found = only(
        findings(
            """
            forge: 1
            inputs: {name: {}}
            work_items: {a: {run: [x], capabilities: [], when: inputs.nmae == 'x'}}
            """
        )
    )
    assert found.message == "there is no input 'nmae'"


def test_a_criterion_looks_at_the_outputs(findings: Findings) -> None:
    found = only(
        findings(
            """
            forge: 1
            work_items:
              a: {run: [x], capabilities: [], criteria: ["length(reslt) > `0`"]}
            """
        )
    )
    assert found.message.startswith("'reslt' is always null here")
    assert found.spot.note == "did you mean 'result'?"


SCHEMA = """
forge: 1
work_items: {a: {run: [x], capabilities: [], completion: schemas/out.json}}
"""


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (b'{"type": "text"}', "schema 'schemas/out.json' at /type: 'text' is not valid"),
        (b'{"format": ["date", "datetime"]}', "schema 'schemas/out.json' at /format"),
        (b'{"pattern": "("}', "schema 'schemas/out.json' at /pattern"),
        (b"[1]", "a schema is a mapping"),
        (b"{", "is not JSON at line 1, column 2"),
        (b'{"$ref": "../../../etc/passwd"}', "lies outside the manifest's folder"),
        (b'{"$ref": "/etc/passwd"}', "is an address"),
        (b'{"$ref": "https://example.org/x.json"}', "is an address"),
        (b'{"$ref": "core.json"}', "leads to 'schemas/core.json', which does not exist"),
        (b'{"$ref": "#/$defs/x"}', "leads to '/$defs/x', which is not there"),
        (b'{"$schema": "http://json-schema.org/draft-04/schema#"}', "is another language"),
    ],
)
def test_a_schema_that_cannot_be_used_is_told(
    schema: bytes, message: str, findings: Findings
) -> None:
    found = only(findings(SCHEMA, files={"schemas/out.json": schema}))
    assert found.rule == "bad-schema"
    assert message in found.message


@pytest.mark.parametrize(
    "schema",
    [
        b'{"type": ["string", "null"], "format": "date-time"}',
        b'{"$id": "https://dead.example/out.json", "$ref": "core.json#/definitions/x"}',
        b'{"$defs": {"x": {"$anchor": "here"}}, "$ref": "#here"}',
        b'{"const": {"$ref": "https://example.org"}}',
        b"true",
    ],
)
def test_a_schema_that_stays_at_home_is_fine(schema: bytes, findings: Findings) -> None:
    core = b'{"definitions": {"x": {"$ref": "#/definitions/y"}, "y": {}}}'
    files = {"schemas/out.json": schema, "schemas/core.json": core}
    assert findings(SCHEMA, files=files) == []


def test_an_address_is_looked_up_among_the_ids_of_the_manifests_schemas(findings: Findings) -> None:
    found = findings(
        """
        forge: 1
        schemas:
          base@1: {$id: "https://dead.example/base.json", type: object}
          out@1: {$id: "https://dead.example/out.json", $ref: base.json}
        work_items: {a: {run: [x], capabilities: [], completion: "schema:out@1"}}
        """
    )
    assert found == []


def test_a_missing_schema_is_told_as_that_only(findings: Findings) -> None:
    found = only(findings(SCHEMA))
    assert found.rule == "missing-file"
    assert "'schemas/out.json' does not exist" in found.message
