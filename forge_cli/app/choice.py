"""Which manifest is meant when none is named."""

from pathlib import Path
from shlex import quote

from forge_cli.errors import ForgeError

MOST_SHOWN = 5
"""Manifests that are named where one has to be chosen."""


def manifest(folder: Path, command: str) -> Path:
    """The only `*.forge.yaml` (or `.yml`) of the folder.

    `ForgeError` if there is none, or more than one: then it lists the first. `command` is what to
    type before a name.
    """
    found = sorted([*folder.glob("*.forge.yaml"), *folder.glob("*.forge.yml")])
    if len(found) == 1:
        return found[0]
    if not found:
        raise ForgeError(
            f"no *.forge.yaml is in '{folder.resolve()}'; name one (`{command} MANIFEST`), "
            "or write a first one (`forge init`)"
        )
    names = ", ".join(f"'{path.name}'" for path in found[:MOST_SHOWN])
    more = f" and {len(found) - MOST_SHOWN} more" if found[MOST_SHOWN:] else ""
    typed = f"{command} {quote(str(found[0]))}"
    raise ForgeError(f"{len(found)} manifests are here: {names}{more}; name one: {typed}")
