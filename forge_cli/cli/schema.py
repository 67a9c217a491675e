"""`forge schema`: the JSON Schema of the manifest, for editors."""

import sys

from forge_cli.app import schema as use_case
from forge_cli.cli.terminal import write


def schema() -> int:
    """Print the JSON Schema of the manifest.

    \b
    Examples:
      forge schema
      forge schema > .forge/manifest.schema.json
    """
    write(sys.stdout, [use_case.schema()])
    return 0
