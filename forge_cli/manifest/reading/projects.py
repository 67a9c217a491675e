"""Where a project may say how its manifests are checked."""

import os
from collections.abc import Iterator

from forge_cli.manifest.reading.source import read

PROJECT = "pyproject.toml"


def projects() -> Iterator[tuple[str, bytes]]:
    """Every pyproject.toml that could speak of forge, with its bytes, from here to the git root.

    Outside of git the search ends at the top of the file system. A folder that was removed is in
    no project.
    """
    try:
        folder, up = os.getcwd(), ""
    except FileNotFoundError:
        return
    while True:
        path = f"{up}{PROJECT}"
        if os.path.isfile(path) and b"forge" in (data := read(path)):
            yield path, data
        if os.path.exists(f"{up}.git") or os.path.dirname(folder) == folder:
            return
        folder, up = os.path.dirname(folder), f"{up}../"
