"""Files of the workspace as a grant lets its holder read them, opened through no link."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from forge_cli.gateway.folders import FILE, opened, within
from forge_cli.multiagent.grants import Grant
from forge_cli.multiagent.scope import matches, parse

LARGEST = 16 * 1024 * 1024
"""Bytes of a file that is read at all."""

MOST = 20_000
"""Entries of folders that one walk looks at."""


class DeniedError(Exception):
    """The grant does not allow it; the text is a sentence that says what and by which line."""


class UnreadableError(Exception):
    """It is allowed and cannot be read; the text is a sentence."""


class GrantedFiles:
    """What one grant lets its holder read below the workspace."""

    def __init__(self, workspace: Path, grant: Grant) -> None:
        self._workspace = workspace
        self._grant = grant
        scopes = [parse(text) for text in grant.scope]
        self._scopes = [scope for scope in scopes if scope.kind == "files"]
        self._dotted = any(part.startswith(".") for s in self._scopes for part in s.segments)

    def read(self, path: str) -> bytes:
        """The bytes of a file; `DeniedError` or `UnreadableError` say why not."""
        self._check(path)
        try:
            with within(self._workspace, path) as (folder, name):
                descriptor = os.open(name, FILE, dir_fd=folder)
            with os.fdopen(descriptor, "rb") as file:
                status = os.fstat(descriptor)
                if not stat.S_ISREG(status.st_mode):
                    raise UnreadableError(f"{path!r} is no regular file")
                if status.st_size > LARGEST:
                    raise UnreadableError(
                        f"{path!r} has {status.st_size} bytes, at most {LARGEST} are read"
                    )
                return file.read(LARGEST)
        except (OSError, ValueError) as error:
            raise UnreadableError(_reason(path, error)) from None

    def walk(self, path: str = "") -> Iterator[str]:
        """The paths of all files below a folder that may be read, folder by folder, by name.

        It ends after looking at `MOST` entries. Links are no files.
        """
        self._check_action()
        left = MOST
        waiting = [_parts(path)]
        while waiting and left > 0:
            parts = waiting.pop()
            try:
                names = self._listed("/".join(parts))
            except (OSError, ValueError) as error:
                if not parts or parts == _parts(path):
                    raise UnreadableError(_reason(path or ".", error)) from None
                continue  # it was there a moment ago
            left -= len(names)
            below = [name for name, is_folder in names if is_folder and self._may_hold(name)]
            waiting += ([*parts, name] for name in reversed(below))
            for name, is_folder in names:
                if not is_folder and matches(self._scopes, found := "/".join((*parts, name))):
                    yield found

    def _listed(self, path: str) -> list[tuple[str, bool]]:
        """What is in a folder and no link, by name, and which of it are folders themselves."""
        folder = opened(self._workspace, path)
        try:
            with os.scandir(folder) as entries:
                return sorted(
                    (entry.name, entry.is_dir(follow_symlinks=False))
                    for entry in entries
                    if not entry.is_symlink()
                )
        finally:
            os.close(folder)

    def _may_hold(self, name: str) -> bool:
        return self._dotted or not name.startswith(".")

    def _check(self, path: str) -> None:
        self._check_action()
        if not matches(self._scopes, "/".join(_parts(path))):
            scope = ", ".join(self._grant.scope) or "nothing"
            raise DeniedError(f"read {path!r} is denied: its scope is {scope}")

    def _check_action(self) -> None:
        if "file-read" not in self._grant.actions:
            held = ", ".join(sorted(self._grant.capabilities)) or "nothing"
            raise DeniedError(f"reading files is denied: its authority is {held}")


def _parts(path: str) -> list[str]:
    """The names along a path from the workspace; none for the workspace itself."""
    if path in ("", "."):
        return []
    parts = path.split("/")
    if any(part in ("", ".", "..") or "\0" in part for part in parts):
        raise UnreadableError(f"{path!r} is no path from the workspace; write it like src/main.py")
    return parts


def _reason(path: str, error: Exception) -> str:
    if isinstance(error, OSError) and error.errno is not None:
        return f"{path!r} cannot be read: {os.strerror(error.errno)}"
    return f"{path!r} cannot be read"
