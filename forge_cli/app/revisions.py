"""A commit of a git repository, read as it is: nothing is checked out."""

import posixpath
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from forge_cli.errors import ForgeError
from forge_cli.manifest.files import MAX_SIZE, Files

_REASONS = {
    "symlink": "leads out of the repository by a link",
    "dangling": "is a link that leads nowhere",
    "loop": "is a link that leads back to itself",
    "notdir": "does not exist",
}


class Revision:
    """The files of one commit, by their paths from the top of the repository.

    `name` is what the user calls it, `top` the working tree that it belongs to.
    """

    def __init__(self, name: str, top: Path, process: subprocess.Popen[bytes], commit: str) -> None:
        self.name = name
        self.top = top
        self._process = process
        self._commit = commit

    def look(self, path: str) -> bytes | str:
        """The bytes of a file, or why there are none, as the end of a sentence."""
        if "\n" in path:
            return "cannot be asked for: its name holds a line break"
        asked, answer = self._process.stdin, self._process.stdout
        if asked is None or answer is None:
            raise ForgeError("git's streams are closed")
        asked.write(f"{self._commit}:{path}\n".encode(errors="surrogateescape"))
        asked.flush()
        words = answer.readline().split()
        if not words:
            raise ForgeError(f"git ended without saying what '{path}' is at '{self.name}'")
        if words[-1] == b"missing":
            return "does not exist"
        kind = words[0].decode() if len(words) == 2 else words[1].decode()
        content = _content(answer, int(words[-1]))
        if kind == "blob":
            return content if content is not None else f"is larger than {MAX_SIZE} bytes"
        return _REASONS.get(kind, "is not a file")

    def beside(self, folder: str) -> Files:
        """The files below a folder of the commit, from the top; '' is the top itself."""
        return _Committed(self, folder)


class _Committed(Files):
    def __init__(self, revision: Revision, folder: str) -> None:
        super().__init__(None)
        self._revision = revision
        self._within = folder

    def _open(self, name: str, root: str | None, whose: str) -> bytes | str:
        del root  # By their names, files lie below it; links lead nowhere out of the repository.
        path = posixpath.normpath(posixpath.join(self._within, name))
        return f"lies outside {whose}" if path.startswith("../") else self._revision.look(path)


def _content(stream: IO[bytes], size: int) -> bytes | None:
    """The bytes of an object and the line break behind it; None, once past it, if it is large."""
    if size <= MAX_SIZE:
        return stream.read(size + 1)[:-1]
    left = size + 1
    while left > 0:
        left -= len(stream.read(min(left, MAX_SIZE))) or left
    return None


@contextmanager
def revision(name: str, folder: Path) -> Iterator[Revision]:
    """The commit that a name means in the repository around a folder.

    `ForgeError` where there is no git, no repository, or no such commit.
    """
    top = Path(_git(folder, "rev-parse", "--show-toplevel"))
    try:
        commit = _git(folder, "rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}")
    except ForgeError:
        raise ForgeError(
            f"'{name}' is no commit of '{top}'; name a branch, tag or commit that is here, and in a"
            " shallow clone fetch it first (`git fetch origin BRANCH`)"
        ) from None
    with subprocess.Popen(
        ["git", "-C", top, "cat-file", "--batch", "--follow-symlinks"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        yield Revision(name, top, process, commit)


def _git(folder: Path, *words: str) -> str:
    try:
        said = subprocess.run(["git", "-C", folder, *words], capture_output=True, check=False)
    except FileNotFoundError:
        raise ForgeError(
            "git is not installed; without it, name two files: forge diff OLD NEW"
        ) from None
    if said.returncode:
        told = said.stderr.decode(errors="replace").strip().partition("\n")[0]
        raise ForgeError(f"'{folder}' cannot be asked about: {told or 'git failed'}")
    return said.stdout.decode(errors="surrogateescape").removesuffix("\n")
