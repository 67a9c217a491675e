"""The folder that a manifest's scopes are relative to, and in which its programs run."""

from pathlib import Path

from forge_cli.errors import ForgeError


def workspace_of(manifest: Path, given: Path | None = None) -> Path:
    """The given folder, else the git root above the manifest, else the manifest's own folder.

    `ForgeError` if the given one is no folder.
    """
    if given is not None:
        if not given.is_dir():
            raise ForgeError(f"--workspace '{given}' is no folder; name one that exists")
        return given.resolve()
    folder = manifest.resolve().parent
    roots = (above for above in (folder, *folder.parents) if (above / ".git").exists())
    return next(roots, folder)
