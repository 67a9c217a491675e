"""The files beside a manifest, as its rules may read them: below its folder and nowhere else."""

import os
import stat
from collections.abc import Mapping

MAX_SIZE = 8 * 2**20
"""Bytes of one file that a manifest names."""

OWN_FOLDERS = {".forge": "what forge keeps for itself", "evidence": "evidence"}
"""Folders of a workspace that forge alone writes, and what is in them."""

_MOST_BESIDE = 500


class Files:
    """Reads each file once. `known` are contents that need not be there (of tests, of an editor).

    Nothing is read through a name that leads out of the folder, also not by links, and nothing
    that is not a regular file. Only what is included may lie elsewhere in the workspace; from then
    on files are read below its folder, too.
    """

    def __init__(
        self, folder: str | os.PathLike[str] | None, known: Mapping[str, bytes] | None = None
    ) -> None:
        self._folder = None if folder is None else os.path.realpath(folder)
        self._found: dict[str, bytes | str] = dict(known or {})
        self._included: dict[str, bytes | str] = {}
        self._roots = [""]

    def read(self, name: str) -> bytes | None:
        """The bytes of a file, by its path relative to the folder; None if there is a problem."""
        found = self._look(name)
        return found if isinstance(found, bytes) else None

    def problem(self, name: str) -> str | None:
        """Why a file cannot be read, as the end of a sentence; None if it can."""
        found = self._look(name)
        return found if isinstance(found, str) else None

    def beside(self, name: str) -> tuple[str, ...]:
        """The names in the folder of a file that is not there, as far as there are not too many."""
        folder = os.path.dirname(os.path.normpath(name))
        if self._folder is None or _outside(name, "") or os.path.isabs(name):
            return ()
        try:
            with os.scandir(os.path.join(self._folder, folder)) as entries:
                names = [entry.name for _, entry in zip(range(_MOST_BESIDE), entries, strict=False)]
        except (OSError, ValueError):
            return ()
        return tuple(sorted(os.path.join(folder, each) for each in names if each.isprintable()))

    def include(self, name: str) -> bytes | str:
        """The bytes of an included file, or why it cannot be read, as the end of a sentence.

        `name` is its path relative to the folder.
        """
        if name not in self._included:
            found = self._found.get(name)
            self._included[name] = self._open_included(name) if found is None else found
        if isinstance(self._included[name], bytes):
            self._admit(os.path.dirname(name))
        return self._included[name]

    def identity(self, name: str) -> str:
        """What two names have in common that lead to the same file."""
        if self._folder is None or name in self._found or "\0" in name:
            return os.path.normpath(name)
        return os.path.realpath(os.path.join(self._folder, name))

    def below_workspace(self, name: str) -> str | None:
        """The path from the workspace of a file beside the manifest; None for one elsewhere."""
        if self._folder is None:
            return None
        top, real = workspace(self._folder), self.identity(name)
        inside = os.path.isfile(real) and os.path.commonpath([top, real]) == top
        return os.path.relpath(real, top) if inside else None

    def _admit(self, root: str) -> None:
        if root not in self._roots:
            # The longest first: a name belongs to the innermost folder that it can lie in.
            self._roots = sorted([*self._roots, root], key=len, reverse=True)

    def _look(self, name: str) -> bytes | str:
        if name not in self._found:
            root = next(root for root in self._roots if name.startswith(f"{root}/" if root else ""))
            own = name[len(root) + 1 :] if root else name
            whose = f"the {'included file' if root else 'manifest'}'s folder"
            self._found[name] = (
                _unusable(own)
                or _absolute(own, f"files are named from {whose}")
                or _outside(own, whose)
                or self._open(os.path.normpath(name), root, whose)
            )
        return self._found[name]

    def _open_included(self, name: str) -> bytes | str:
        return (
            _unusable(name)
            or _absolute(name, "included files are named from the file that includes them")
            or self._open(name, None, "the workspace")
        )

    def _open(self, name: str, root: str | None, whose: str) -> bytes | str:
        """Read a file below one of the roots, or without one anywhere in the workspace."""
        if self._folder is None:
            return "does not exist"
        top = workspace(self._folder) if root is None else os.path.join(self._folder, root)
        top, real = os.path.realpath(top), os.path.realpath(os.path.join(self._folder, name))
        if os.path.commonpath([top, real]) != top:
            by_name = os.path.normpath(os.path.join(self._folder, name))
            if os.path.commonpath([top, by_name]) != top:
                return f"lies outside {whose}"
            return f"leads out of {whose} by a link"
        try:
            # Without O_NONBLOCK, opening a named pipe waits for somebody to write to it.
            opened = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
        except OSError as error:
            return _reason(error)
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            os.close(opened)
            return "is not a file"
        with open(opened, "rb") as file:
            content = file.read(MAX_SIZE + 1)
        return content if len(content) <= MAX_SIZE else f"is larger than {MAX_SIZE} bytes"


def workspace(folder: str) -> str:
    """The git root at or above a folder (a real path), else the folder itself."""
    above = folder
    while not os.path.exists(os.path.join(above, ".git")):
        if above == os.path.dirname(above):
            return folder
        above = os.path.dirname(above)
    return above


def _unusable(name: str) -> str | None:
    if not name or "\0" in name:
        return "is not the name of a file"
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        return "has a name that this system's encoding cannot hold; set PYTHONUTF8=1"
    return None


def _absolute(name: str, rule: str) -> str | None:
    return f"is an absolute path; {rule}" if os.path.isabs(name) else None


def _outside(name: str, whose: str) -> str | None:
    return f"lies outside {whose}" if f"{os.path.normpath(name)}/".startswith("../") else None


def _reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return "does not exist"
    return f"cannot be read: {error.strerror}"
