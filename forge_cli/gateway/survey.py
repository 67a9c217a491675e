"""What lies below scopes in the workspace, found without ever following a link."""

import os
import stat
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from forge_cli.gateway.folders import GONE, opened, within
from forge_cli.multiagent import scope


class Found(NamedTuple):
    """One path below the workspace; `name` is in the folder that `parent` is a descriptor of.

    `allowed` says that the scopes allow it; otherwise it is a folder on the way to what they may.
    """

    path: str
    name: str
    parent: int
    status: os.stat_result
    allowed: bool

    @property
    def kind(self) -> str:
        """`file`, `link`, `folder`, or `other`: a pipe, socket or device."""
        kind = stat.S_IFMT(self.status.st_mode)
        return {stat.S_IFREG: "file", stat.S_IFLNK: "link", stat.S_IFDIR: "folder"}.get(
            kind, "other"
        )


def survey(workspace: Path, scopes: Iterable[str], kept_out: Collection[str]) -> Iterator[Found]:
    """Everything that the scopes allow and the folders on the way there, parents first.

    A folder is entered after it was given. `kept_out` are paths that are passed over with all below
    them. Raises `OSError` for a folder that cannot be read.
    """
    waiting = [("", scope.top(scopes))]
    while waiting:
        path, place = waiting.pop()
        try:
            descriptor = opened(workspace, path)
        except OSError as fault:
            if path and fault.errno in GONE:
                continue
            raise
        try:
            for name in sorted(os.listdir(descriptor)):  # noqa: PTH208  of a descriptor, not a path
                found = _found(path, name, descriptor, below := place.below(name))
                if found is None or found.path in kept_out:
                    continue
                if below.leads and found.kind == "folder":
                    waiting.append((found.path, below))
                elif not below.allowed:
                    continue
                yield found
        finally:
            os.close(descriptor)


def _found(path: str, name: str, parent: int, place: scope.Place) -> Found | None:
    if not (place.allowed or place.leads):
        return None
    try:
        status = os.lstat(name, dir_fd=parent)
    except FileNotFoundError:
        return None
    return Found(f"{path}/{name}" if path else name, name, parent, status, place.allowed)


def change_mode(workspace: Path, path: str, mode: int) -> None:
    """Give a folder this mode, and nothing else that somebody may have put in its place."""
    with within(workspace, path) as (parent, name):
        flags = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(name, flags, dir_fd=parent)
    try:
        # A descriptor that only names a folder takes no fchmod.
        Path(f"/proc/self/fd/{descriptor}").chmod(mode)
    finally:
        os.close(descriptor)
