"""What keywords of JSON Schema (2020-12) mean to who compares two schemas."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from forge_cli.multiagent.plan import Json

Schema = Mapping[str, Any]

DEFINITIONS = frozenset({"$defs", "definitions"})
ANNOTATIONS = frozenset(
    {"$anchor", "$comment", "$id", "$schema", "default", "deprecated", "description", "examples"}
    | {"readOnly", "title", "writeOnly"}
)
"""Keywords that demand nothing of a value."""

_MAPS = DEFINITIONS | {"dependentSchemas", "patternProperties", "properties"}
_SETS = frozenset({"enum", "required", "type"})
_BRANCHES = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})

TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
_SUBJECTS = {
    "number": "exclusiveMaximum exclusiveMinimum maximum minimum multipleOf",
    "string": "format maxLength minLength pattern",
    "array": "contains items maxContains maxItems minContains minItems prefixItems uniqueItems",
    "object": "additionalProperties dependentRequired dependentSchemas maxProperties"
    " minProperties patternProperties properties propertyNames required",
}
_SUBJECT = {keyword: kind for kind, words in _SUBJECTS.items() for keyword in words.split()}

_GROUPS = (
    ("additionalProperties", "properties", "patternProperties"),
    ("items", "prefixItems"),
    ("contains", "minContains", "maxContains"),
    ("if", "then", "else"),
)
_DEPENDENT = {
    "additionalProperties": _GROUPS[0],
    "items": _GROUPS[1],
    **{keyword: group for group in _GROUPS[2:] for keyword in group},
}


def neighbours(keyword: str) -> tuple[str, ...]:
    """The keywords that say together what this one demands, itself among them."""
    return _DEPENDENT.get(keyword, (keyword,))


def speaks_of(keyword: str, schema: Schema) -> bool:
    """Whether the keyword may demand something of a value that the schema accepts."""
    subject = _SUBJECT.get(keyword)
    types = types_of(schema)
    return subject is None or subject in types or (subject == "number" and "integer" in types)


def types_of(schema: Schema) -> frozenset[str]:
    """The types of value that the schema lets through."""
    written = schema.get("type", TYPES)
    return frozenset([written]) if isinstance(written, str) else frozenset(written)


def finite(schema: Schema) -> list[Json] | None:
    """All that a schema may accept, and maybe more; None where that is not a short list."""
    if "const" in schema:
        return [schema["const"]]
    if "enum" in schema:
        return list(schema["enum"])
    values: dict[str, list[Json]] = {"boolean": [True, False], "null": [None]}
    types = types_of(schema)
    return [v for kind in types for v in values[kind]] if types <= values.keys() else None


def bare(schema: Json) -> Json:
    """The schema without what demands nothing, and with sets in one order."""
    if not isinstance(schema, dict):
        return schema
    found: dict[str, Json] = {}
    for key, value in schema.items():
        if key in ANNOTATIONS:
            continue
        if key in _MAPS and isinstance(value, dict):
            found[key] = {name: bare(each) for name, each in value.items()}
        elif key in _SETS and isinstance(value, list):
            found[key] = sorted(value, key=repr)
        elif key in _BRANCHES and isinstance(value, list):
            found[key] = [bare(each) for each in value]
        else:
            found[key] = value if key == "const" else bare(value)
    return found


def refers(value: Json) -> bool:
    """Whether there is a reference in it."""
    if isinstance(value, dict):
        return any(k in ("$ref", "$dynamicRef") or refers(each) for k, each in value.items())
    return isinstance(value, list) and any(map(refers, value))


def resolved(schema: Json, document: Json) -> Json:
    """The schema without a reference on top; None where that leads nowhere, or round and round."""
    for _ in range(32):
        if not isinstance(schema, dict) or "$ref" not in schema:
            return schema
        target = _target(schema["$ref"], document)
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        if rest.keys() - ANNOTATIONS - DEFINITIONS:
            return {**rest, "allOf": [target, *rest.get("allOf", ())]}
        schema = target
    return None


def _target(reference: str, document: Json) -> Json:
    if not reference.startswith("#"):
        return None
    for step in unquote(reference[1:]).split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(document, dict):
            document = document.get(name)
        elif isinstance(document, list) and name.isdecimal() and int(name) < len(document):
            document = document[int(name)]
        else:
            return None
    return document
