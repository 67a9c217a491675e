"""`forge schema`: what editors are given."""

import json

from forge_cli.app.schema import schema


def test_it_is_the_json_schema_of_a_manifest() -> None:
    document = json.loads(schema())
    assert document["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert document["required"] == ["forge", "work_items"]
