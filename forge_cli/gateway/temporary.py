"""Temporary folders of calls, private to who runs forge, and known again by the run's mark."""

import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from forge_cli.errors import ForgeError


def temporary_folder(mark: str, folder: str | None = None) -> str:
    """A new private folder (mode 700) for one call, whose name begins with the run's mark.

    It is made in `folder`, or where the system has such ones. `ForgeError` where none can be made.
    """
    try:
        return tempfile.mkdtemp(prefix=mark, dir=folder)
    except OSError as error:
        raise ForgeError(
            f"no temporary folder can be made: {error.strerror}; set TMPDIR to one with free space"
        ) from None


def remove_folders(mark: str) -> None:
    """Remove the temporary folders with this mark: what calls left behind that were killed."""
    for path in Path(tempfile.gettempdir()).glob(f"{mark}*"):
        with suppress(FileNotFoundError):  # what ends just now takes its own away
            status = path.lstat()
            if stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid():
                shutil.rmtree(path, ignore_errors=True)
