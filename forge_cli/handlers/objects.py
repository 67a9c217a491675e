"""The object that a turn's result has to be, as a JSON Schema for who can be held to one."""

from collections.abc import Mapping

from forge_cli.multiagent.terms import Json


def schema_of(outputs: tuple[str, ...], completion: Json) -> Mapping[str, Json] | None:
    """The schema of the output object; None where the only output is the answer's text.

    One whose references lead out of it, or that is of no object, is told by its keys alone: it is
    held against the result in any case.
    """
    if completion is None and len(outputs) == 1:
        return None
    if isinstance(completion, dict) and completion.get("type") == "object" and is_whole(completion):
        return completion
    return {
        "type": "object",
        "properties": {key: {} for key in outputs},
        "required": list(outputs),
        "additionalProperties": False,
    }


def is_whole(schema: Json) -> bool:
    """Whether all that a schema refers to lies within it."""
    if isinstance(schema, dict):
        reference = schema.get("$ref", "#")
        inner = all(map(is_whole, schema.values()))
        return inner and isinstance(reference, str) and reference.startswith("#")
    return not isinstance(schema, list) or all(map(is_whole, schema))


def is_strict(schema: Json) -> bool:
    """Whether each object in a schema requires all its properties, of some type, and no other."""
    if isinstance(schema, list):
        return all(map(is_strict, schema))
    if not isinstance(schema, dict):
        return True
    if schema.get("type") == "object" or "properties" in schema:
        properties = schema.get("properties", {})
        closed = schema.get("additionalProperties") is False
        if (
            not closed
            or {*schema.get("required", ())} != {*properties}
            or {} in properties.values()
        ):
            return False
    return all(map(is_strict, schema.values()))
