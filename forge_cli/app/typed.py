"""Paths and commands as one would type them in the current folder."""

import os
import shlex
from pathlib import Path

from forge_cli.app.runs import workspace
from forge_cli.app.workspace import workspace_of


def as_typed(path: Path | None) -> str:
    """The path from the current folder, whole if that is gone; nothing for none."""
    if path is None:
        return ""
    try:
        return os.path.relpath(path)
    except FileNotFoundError:
        return str(path)


def where(home: Path) -> str:
    """What to add to a command about runs in this workspace; nothing where it is found anyway."""
    try:
        found = workspace(Path.cwd()).resolve() == home.resolve()
    except FileNotFoundError:
        found = False
    return "" if found else f" --workspace {shlex.quote(as_typed(home))}"


def again(manifest: Path | None, home: Path) -> str:
    """The command that runs the manifest in this workspace; nothing for no manifest."""
    if manifest is None:
        return ""
    command = f"forge run {shlex.quote(as_typed(manifest))}"
    if workspace_of(manifest) == home.resolve():
        return command
    return f"{command} --workspace {shlex.quote(as_typed(home))}"
