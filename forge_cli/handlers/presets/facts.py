"""The facts that the options of a preset's program depend on."""

import json
from collections.abc import Mapping

from forge_cli.handlers.objects import is_strict, schema_of
from forge_cli.multiagent.grants import Grant
from forge_cli.multiagent.terms import Json

SCHEMA_FILE = "schema.json"


def facts_of(config: Mapping[str, Json], grant: Grant, completion: Json) -> dict[str, str]:
    """What holds of a turn with this grant and completion, without what it may use."""
    facts = dict.fromkeys((*sorted(grant.actions), "folder"), "")
    if "model" in config:
        facts["model"] = config["model"]
    schema = schema_of(grant.outputs, completion)
    if schema is not None:
        facts["schema"] = json.dumps(schema, separators=(",", ":"))
        if schema is completion and is_strict(schema):
            facts["schema_file"] = SCHEMA_FILE
    return facts
