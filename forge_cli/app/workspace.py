"""The folder that a manifest's scopes are relative to, and in which its programs run."""

from pathlib import Path

from forge_cli.errors import ForgeError
from forge_cli.manifest import files


def workspace_of(manifest: Path, given: Path | None = None) -> Path:
    """The given folder, else the git root above the manifest, else the manifest's own folder.

    `ForgeError` if the given one is no folder.
    """
    if given is None:
        return Path(files.workspace(str(manifest.resolve().parent)))
    if not given.is_dir():
        raise ForgeError(f"--workspace '{given}' is no folder; name one that exists")
    return given.resolve()


def noted(path: Path, workspace: Path) -> str:
    """The absolute path as a ledger notes it: relative to the workspace if it is below that.

    So a workspace can be moved, and a copy works on what is in the copy.
    """
    for each in (path, path.resolve()):
        if each.is_relative_to(workspace):
            return str(each.relative_to(workspace))
    return str(path)
