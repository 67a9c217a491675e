"""The use case of `forge schema`: the JSON Schema of the manifest."""

from forge_cli.manifest.shape.reference import schema_text


def schema() -> str:
    """JSON Schema (2020-12) for editors, as indented text without a last newline."""
    return schema_text().rstrip("\n")
