"""What of the workspace a program may reach, as a list of places that a sandbox can hold.

A sandbox knows folders and files and no globs. So the tree is walked when the sandbox is made: a
folder of which a scope ends in `/**` is given as a whole, and what lies in it and is not in the
scope (names that begin with a dot, forge's own files) is taken out again. A folder in which
`writes` let new files be made is writable itself. All other files are given one by one.
"""

import os
import stat
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from forge_cli.gateway.folders import made, scanned
from forge_cli.gateway.writing import UNFINISHED
from forge_cli.multiagent import scope
from forge_cli.multiagent.glob import ANY_SEGMENTS, is_wild
from forge_cli.multiagent.scope import Place

Mode = Literal["hide", "read", "write"]

MOST_SPOTS = 1_000
"""Places that one sandbox is made of; each takes the kernel a moment."""

MOST_ENTRIES = 500_000
"""Entries of folders that one walk looks at."""

WORKSPACE = "files:"
"""How `_containers` names the workspace itself."""

PRIVATE = ".forge"
"""What nobody reads, whatever a scope says."""


class ChartError(Exception):
    """The scopes cannot be held by a sandbox; the text is a sentence."""


class Spot(NamedTuple):
    """A place from which on something else is allowed than above it.

    `device` and `inode` are those that it had when it was looked at.
    """

    path: str
    mode: Mode
    folder: bool
    device: int
    inode: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a program is to reach: scopes to read and to write, and files of its own to read.

    `own` are paths that nobody writes; `also` are paths that it reads whatever its scopes say.
    """

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


class _At(NamedTuple):
    """What the scopes say of one path; `free` where all is read because it was named in `also`."""

    read: Place
    write: Place
    whole: Place
    maker: Place
    free: bool = False

    def below(self, name: str) -> "_At":
        """The same of a name in the folder that this path is."""
        read, write = self.read.below(name), self.write.below(name)
        return _At(read, write, self.whole.below(name), self.maker.below(name), self.free)

    @property
    def leads(self) -> bool:
        """Whether anything below may be reached."""
        return self.read.leads or self.write.leads

    def mode(self, folder: bool) -> Mode:
        """What a folder, or a file, of this path is given as."""
        if (self.maker if folder else self.write).allowed:
            return "write"
        if self.free or (self.whole if folder else self.read).allowed:
            return "read"
        return "hide"


def chart(workspace: Path, wanted: Wanted) -> tuple[Spot, ...]:
    """The places, those above before those below; the first one is the workspace itself.

    No link is followed. Raises `ChartError` where they would be too many, or a folder that may be
    read cannot be.
    """
    try:
        return _Walk(workspace, wanted).spots()
    except OSError as fault:
        raise ChartError(
            f"what it may reach cannot be looked at: {fault.filename!r}: {fault.strerror}"
        ) from None


def make_way(workspace: Path, writes: Iterable[str]) -> None:
    """Make the folders in which `writes` let files be made, as far as they name them."""
    for text in writes:
        names = scope.parse(text).segments[:-1]
        wild = next((at for at, name in enumerate(names) if is_wild(name)), len(names))
        with suppress(OSError), made(workspace, "/".join(names[:wild])):
            pass  # where it cannot be made, the program is told by what it tries


class _Walk:
    def __init__(self, workspace: Path, wanted: Wanted) -> None:
        self._workspace = workspace
        self._own = frozenset(wanted.own)
        self._also = frozenset(wanted.also)
        self._ways = frozenset(above for path in wanted.also for above in _above(path))
        wholes = _containers(wanted.reads, wide=False)
        makers = _containers(wanted.writes, wide=True)
        self._root = _At(
            scope.top(wanted.reads),
            scope.top(wanted.writes),
            scope.top(wholes - {WORKSPACE})._replace(allowed=WORKSPACE in wholes),
            scope.top(makers - {WORKSPACE})._replace(allowed=WORKSPACE in makers),
        )
        nothing = self._nothing = scope.top(())
        self._private = _At(nothing, nothing, nothing, nothing)
        self._left = MOST_ENTRIES
        self._found: dict[str, Spot] = {}
        self._folders: dict[str, os.stat_result] = {}

    def spots(self) -> tuple[Spot, ...]:
        status = self._workspace.stat()
        self._folders[""] = status
        mode = self._root.mode(folder=True)
        self._found[""] = _spot("", mode, status)
        waiting = [("", self._root, mode)]
        while waiting:
            path, at, mode = waiting.pop()
            waiting += self._enter(path, at, mode)
        self._fasten()
        return tuple(sorted(self._found.values(), key=lambda spot: (spot.path.split("/"), spot)))

    def _enter(self, path: str, at: _At, mode: Mode) -> Iterator[tuple[str, _At, Mode]]:
        """Note what differs in a folder; gives the folders in it that are to be entered."""
        for name, status in self._listed(path):
            inner = f"{path}/{name}" if path else name
            here = self._below(at, name, inner)
            folder = stat.S_ISDIR(status.st_mode)
            found = here.mode(folder)
            if found != mode:
                self._note(_spot(inner, found, status))
            if folder and (here.leads or inner in self._ways) and inner != PRIVATE:
                self._folders[inner] = status
                yield inner, here, found

    def _below(self, at: _At, name: str, path: str) -> _At:
        if path == PRIVATE:
            return self._private
        here = at.below(name)
        if path in self._own:
            here = here._replace(write=self._nothing, maker=self._nothing)
        return here._replace(free=True) if path in self._also else here

    def _listed(self, path: str) -> list[tuple[str, os.stat_result]]:
        """What is in a folder and no link, nor a file that forge is about to finish."""
        with scanned(self._workspace, path) as entries:
            found = [
                (entry.name, entry.stat(follow_symlinks=False))
                for entry in entries
                if not (entry.is_symlink() or entry.name.startswith(UNFINISHED))
            ]
        self._left -= len(found)
        if self._left < 0:
            raise ChartError(
                f"its scopes lead to more than {MOST_ENTRIES:,} files, too many to hold it to;"
                " name folders in its scope, or write  sandbox: off  in its handler"
            )
        return found

    def _note(self, spot: Spot) -> None:
        self._found[spot.path] = spot
        if len(self._found) > MOST_SPOTS:
            raise ChartError(
                f"its scopes come to more than {MOST_SPOTS:,} places, such as {spot.path!r};"
                " name whole folders, like files:src/**, or write  sandbox: off  in its handler"
            )

    def _fasten(self) -> None:
        """Make the folders on the way to what it may not write places, too: so none is renamed."""
        for spot in list(self._found.values()):
            if spot.mode == "write":
                continue
            for path in _above(spot.path):
                if path in self._found:
                    break
                if self._mode_above(path) == "write":
                    self._note(_spot(path, "write", self._folders[path]))

    def _mode_above(self, path: str) -> Mode:
        return next(self._found[above].mode for above in _above(path) if above in self._found)


def _containers(scopes: Iterable[str], wide: bool) -> set[str]:
    """Scopes of the folders in which something may be that the scopes allow, by its name only.

    `wide` takes every last segment, and not only `**`.
    """
    found: set[str] = set()
    for text in scopes:
        *names, last = scope.parse(text).segments
        if last == ANY_SEGMENTS:
            found |= {_files(names), _files([*names, last])}
        elif wide and names and names[-1] == ANY_SEGMENTS:
            found |= {_files(names[:-1]), _files(names)}
        elif wide:
            found.add(_files(names))
    return found


def _files(names: Collection[str]) -> str:
    return WORKSPACE + "/".join(names)


def _above(path: str) -> list[str]:
    """The folders that a path is in, the nearest first and the workspace last."""
    names = path.split("/")[:-1]
    return ["/".join(names[:depth]) for depth in range(len(names), -1, -1)] if path else []


def _spot(path: str, mode: Mode, status: os.stat_result) -> Spot:
    return Spot(path, mode, stat.S_ISDIR(status.st_mode), status.st_dev, status.st_ino)
