"""Writes the data files that come from the model: `python -m forge_cli.manifest.shape.generate`."""

import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from forge_cli.handlers.settings import SHARED
from forge_cli.manifest.model import adapter

_DATA = Path(__file__).parent / "data"
_PYTHON_ONLY = frozenset({"cls", "cls_name", "computed_fields", "metadata"})
_SHAPES = {
    "str": "text",
    "int": "whole number",
    "float": "number",
    "bool": "true or false",
    "list": "list",
    "dict": "mapping",
    "typed-dict": "mapping",
    "definition-ref": "mapping",
    "tagged-union": "mapping",
    "literal": "text",
}

_PLUG_INS_KIND = {
    "title": "kind",
    "description": "The name of an installed plug-in's handler.",
    "examples": ["acme-shell"],
    "type": "string",
}


def core_schema() -> dict[str, Any]:
    """The pydantic-core schema as plain data, with the pydantic that made it.

    Choices of a union are labelled by the shape that they take, so that a fault can be told for
    the one choice that the input resembles.
    """
    raw: Any = adapter().core_schema
    return {"pydantic": version("pydantic"), "schema": _plain(raw)}


def _plain(node: Any) -> Any:
    if isinstance(node, list):
        return [_plain(each) for each in node]
    if not isinstance(node, Mapping):
        return node
    kind = node.get("type")
    if not isinstance(kind, str):
        return {name: _plain(value) for name, value in node.items()}
    plain = {
        name: _plain(value)
        for name, value in node.items()
        if name not in _PYTHON_ONLY and name not in ("config", "ref", "schema_ref")
    }
    if kind == "typed-dict":
        plain["config"] = {"strict": True, "title": node["config"]["title"]}
    if kind == "tagged-union":
        plain["from_attributes"] = False
    if kind == "union":
        plain["choices"] = [(_plain(each), _SHAPES[each["type"]]) for each in node["choices"]]
    for name in ("ref", "schema_ref"):
        if name in node:
            plain[name] = node[name].split(":")[0].rsplit(".", 1)[-1]
    return plain


def json_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) for editors: title, description, example and enum on every key."""
    schema = adapter().json_schema()
    preset = schema["$defs"]["Preset"]["properties"]
    shared = {name: preset[name] for name in SHARED}
    for definition in [*schema["$defs"].values(), schema]:
        _polish(definition, shared)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _polish(definition: dict[str, Any], shared: dict[str, Any]) -> None:
    """Titles as they are typed, only keys of JSON Schema, and kinds of plug-ins allowed.

    `shared` are the properties that handlers of plug-ins have as well.
    """
    for name, value in definition.get("properties", {}).items():
        value["title"] = name
        if "patternProperties" in value:
            value["additionalProperties"] = False
        if discriminator := value.pop("discriminator", None):
            known = sorted(discriminator["mapping"])
            value["oneOf"].append(
                {
                    "description": "A plug-in's handler; its other keys are the plug-in's own.",
                    "properties": {"kind": _PLUG_INS_KIND | {"not": {"enum": known}}, **shared},
                    "required": ["kind"],
                    "title": "Plugin",
                    "type": "object",
                }
            )


def write(folder: Path = _DATA) -> None:
    """Write both files."""
    for name, value in (
        ("core_schema.json", core_schema()),
        ("manifest.schema.json", json_schema()),
    ):
        text = json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False)
        (folder / name).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
