"""Where a finding is: its place, and its file as a CI service knows it."""

import os
from collections.abc import Mapping

from forge_cli.manifest.findings import TOP, Place, Spot


def place_of(spot: Spot) -> Place:
    """Where a spot is; the file's first character if that is not known."""
    return spot.place or TOP


def checkout(environ: Mapping[str, str]) -> str:
    """The folder that a CI service counts the names of files from; the current one elsewhere."""
    return environ.get("GITHUB_WORKSPACE") or environ.get("CI_PROJECT_DIR") or os.curdir


def rooted(path: str, root: str) -> str:
    """The path from the folder `root`, without links on the way; absolute if it is not below."""
    top = os.path.realpath(root)
    folder, name = os.path.split(path)
    place = f"{os.path.realpath(folder)}/{name}"
    return os.path.relpath(place, top) if os.path.commonpath((top, place)) == top else place
