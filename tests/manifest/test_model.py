"""The model is the source of the checked-in data, and both say the same."""

import json
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from forge_cli.manifest.model import adapter
from forge_cli.manifest.naming import flow
from forge_cli.manifest.shape import generate
from forge_cli.manifest.shape.structure import structure

DATA = Path(generate.__file__).parent / "data"

ITEM: dict[str, Any] = {"run": ["echo", "hello"], "capabilities": []}

SOUND: list[dict[str, Any]] = [
    {"forge": 1, "work_items": {"hello": ITEM}},
    {"forge": 1, "budget": {"cost_usd": "0.5"}, "work_items": {"hello": ITEM}},
    {"forge": 1, "budget": {"cost_usd": 0.5}, "work_items": {"hello": ITEM}},
    {"forge": 1, "budget": {"cost_usd": 3}, "work_items": {"hello": ITEM}},
    {"forge": 1, "work_items": {"hello": {**ITEM, "on_failure": "escalate"}}},
    {"forge": 1, "work_items": {"hello": {**ITEM, "for_each": ["a", 1, {"b": [True]}]}}},
    {"forge": 1, "work_items": {"hello": {**ITEM, "for_each": "${inputs.parts}"}}},
    {"forge": 1, "schemas": {"a@1": {"const": None}}, "work_items": {"hello": ITEM}},
]

UNSOUND: list[dict[str, Any]] = [
    {},
    {"forge": 2, "work_items": {"hello": ITEM}},
    {"forge": True, "work_items": {"hello": ITEM}},
    {"forge": 1, "work_items": {}},
    {"forge": 1, "work_items": {"Hello": ITEM}},
    {"forge": 1, "work_items": {"hello": {**ITEM, "needs": []}}},
    {"forge": 1, "work_items": {"hello": {**ITEM, "run": []}}},
    {"forge": 1, "work_items": {"hello": {**ITEM, "required": "yes"}}},
    {"forge": 1, "budget": {"model_calls": "3"}, "work_items": {"hello": ITEM}},
    {"forge": 1, "budget": {"model_calls": 2.5}, "work_items": {"hello": ITEM}},
    {"forge": 1, "budget": {"cost_usd": True}, "work_items": {"hello": ITEM}},
    {"forge": 1, "version": "1.10", "work_items": {"hello": ITEM}},
]


def read(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((DATA / name).read_text(encoding="utf-8"))
    return loaded


def keys(node: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every key that the schema declares, at whatever depth."""
    if isinstance(node, dict):
        yield from node.get("properties", {}).items()
        for name, inner in node.items():
            if name not in ("default", "examples"):
                yield from keys(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from keys(inner)


def model_takes(data: dict[str, Any]) -> bool:
    try:
        adapter().validate_python(data)
    except ValidationError:
        return False
    return True


def test_the_checked_in_data_is_what_the_model_generates() -> None:
    checked_in = read("core_schema.json")
    if checked_in["pydantic"] == version("pydantic"):
        assert checked_in == json.loads(json.dumps(generate.core_schema()))
        assert read("manifest.schema.json") == generate.json_schema()
    else:
        print(f"made by pydantic {checked_in['pydantic']}, this is {version('pydantic')}")


@pytest.mark.parametrize("data", SOUND)
def test_model_data_and_editors_take_the_same_manifests(data: dict[str, Any]) -> None:
    assert model_takes(data)
    assert structure(data).errors == ()
    assert Draft202012Validator(read("manifest.schema.json")).is_valid(data)


@pytest.mark.parametrize("data", UNSOUND)
def test_model_data_and_editors_refuse_the_same_manifests(data: dict[str, Any]) -> None:
    assert not model_takes(data)
    assert structure(data).errors
    assert not Draft202012Validator(read("manifest.schema.json")).is_valid(data)


def test_the_editors_schema_is_one() -> None:
    Draft202012Validator.check_schema(read("manifest.schema.json"))


def test_every_key_has_a_title_a_description_and_an_example_in_editors() -> None:
    found = list(keys(read("manifest.schema.json")))
    assert {"work_items", "depends_on", "max_usage", "kind", "max_attempts"} <= dict(found).keys()
    for key, value in found:
        assert value["title"] == key
        assert value["description"].endswith(".")
        assert value["examples"]


def test_every_key_that_takes_one_of_a_few_words_lists_them_in_editors() -> None:
    schema = read("manifest.schema.json")
    found = {key: value.get("enum") for key, value in schema["$defs"]["Item"]["properties"].items()}
    assert found["risk"] == ["read_only", "reversible", "irreversible"]
    assert found["on_crash"] == ["rerun", "hold"]
    assert schema["properties"]["forge"]["const"] == 1


def test_a_default_is_taken_by_its_key_and_told_in_words() -> None:
    schema = read("manifest.schema.json")
    found = [(key, value) for key, value in keys(schema) if "default" in value and key != "default"]
    assert len(found) > 20
    for key, value in found:
        validator = Draft202012Validator({**value, "$defs": schema["$defs"]})
        assert validator.is_valid(value["default"]), key
        told = "all three" if key == "on" else flow(value["default"]).replace('"', "")
        assert f"{told} if absent" in value["description"], key


def test_every_example_of_a_key_is_taken_by_its_own_schema() -> None:
    schema = read("manifest.schema.json")
    for key, value in keys(schema):
        if key in ("delegations", "roles"):
            continue  # Shortened, so that they can be read.
        validator = Draft202012Validator({**value, "$defs": schema["$defs"]})
        for example in value["examples"]:
            assert validator.is_valid(example), (key, example)


def test_generating_writes_both_files(tmp_path: Path) -> None:
    generate.write(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "core_schema.json",
        "manifest.schema.json",
    ]
