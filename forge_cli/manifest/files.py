"""The files beside a manifest, as its rules may read them: below its folder and nowhere else."""

import os
import stat
from collections.abc import Mapping

MAX_SIZE = 8 * 2**20
"""Bytes of one file that a manifest names."""


class Files:
    """Reads each file once. `known` are contents that need not be there (of tests, of an editor).

    Nothing is read through a name that leads out of the folder, also not by links, and nothing
    that is not a regular file.
    """

    def __init__(
        self, folder: str | os.PathLike[str] | None, known: Mapping[str, bytes] | None = None
    ) -> None:
        self._folder = None if folder is None else os.fspath(folder)
        self._found: dict[str, bytes | str] = dict(known or {})

    def read(self, name: str) -> bytes | None:
        """The bytes of a file, by its path relative to the folder; None if there is a problem."""
        found = self._look(name)
        return found if isinstance(found, bytes) else None

    def problem(self, name: str) -> str | None:
        """Why a file cannot be read, as the end of a sentence; None if it can."""
        found = self._look(name)
        return found if isinstance(found, str) else None

    def _look(self, name: str) -> bytes | str:
        if name not in self._found:
            self._found[name] = _outside(name) or self._open(os.path.normpath(name))
        return self._found[name]

    def _open(self, name: str) -> bytes | str:
        if self._folder is None:
            return "does not exist"
        root = os.path.realpath(self._folder)
        real = os.path.realpath(os.path.join(root, name))  # noqa: PTH118 - pathlib is slow to import
        if os.path.commonpath([root, real]) != root:
            return "leads out of the manifest's folder by a link"
        try:
            # Without O_NONBLOCK, opening a named pipe waits for somebody to write to it.
            opened = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
        except OSError as error:
            return _reason(error)
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            os.close(opened)
            return "is not a file"
        with open(opened, "rb") as file:  # noqa: PTH123 - an open descriptor
            content = file.read(MAX_SIZE + 1)
        return content if len(content) <= MAX_SIZE else f"is larger than {MAX_SIZE} bytes"


def _outside(name: str) -> str | None:
    if not name or "\0" in name:
        return "is not the name of a file"
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        return "has a name that this system's encoding cannot hold; set PYTHONUTF8=1"
    if os.path.isabs(name):  # noqa: PTH117 - pathlib is slow to import
        return "is an absolute path; files are named from the manifest's folder"
    if f"{os.path.normpath(name)}/".startswith("../"):
        return "lies outside the manifest's folder"
    return None


def _reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return "does not exist"
    return f"cannot be read: {error.strerror}"
