"""Where in a manifest the link of a chain stands that refused something."""

from collections.abc import Mapping
from pathlib import Path as File

from forge_cli.manifest.findings import Path
from forge_cli.multiagent.plan import Json

_SECTIONS = {"role": "roles", "delegates": "roles", "delegation": "delegations"}


def line_of(manifest: File, denial: Mapping[str, Json]) -> int:
    """The line of the key that refused, counted from 1, or of what it would stand in; 0 for none.

    None is there for what forge itself refuses, for items that others asked for, and for what
    another file has that is included.
    """
    # Who is denied nothing needs no reader of YAML.
    from forge_cli.manifest.reading.places import places

    wanted = _path(denial)
    paths = [path for path in (wanted, wanted[:-1]) if path]
    try:
        found = places(manifest.read_bytes(), paths) if paths else {}
    except (OSError, ValueError):
        return 0
    placed = next((found[path] for path in paths if found[path].exact), None)
    return 0 if placed is None else (placed.key or placed.value).line


def _path(denial: Mapping[str, Json]) -> Path:
    kind, _, name = denial.get("link", "").partition(":")
    key = denial.get("key", "")
    if kind == "item":
        top, *below = (part for part in name.split(".") if not part.isdecimal())
        return ("work_items", top, *(word for part in below for word in ("sub_tasks", part)), key)
    if kind == "run":
        return (key,)
    if kind == "delegates" and key == "capabilities":
        return "roles", name, "delegates", key
    if kind == "role" and key == "tools":
        return "roles", name, "handler", key
    if kind == "delegation" and key == "capabilities":
        key = "authority"
    return (_SECTIONS[kind], name, key) if kind else ()
