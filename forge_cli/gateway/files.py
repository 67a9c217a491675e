"""Files of the workspace as a grant lets its holder read and write them, opened through no link."""

import errno
import os
import stat
import unicodedata
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from forge_cli.gateway import writing
from forge_cli.gateway.folders import FILE, MOST, listed, names_of, opened, reading
from forge_cli.gateway.writing import UnwritableError
from forge_cli.multiagent.grants import Grant
from forge_cli.multiagent.scope import matches, parse

LARGEST = 16 * 1024 * 1024
"""Bytes of a file that is read or written at all."""


class DeniedError(Exception):
    """The grant does not allow it; the text is a sentence that says what and by which line.

    `needed` is the `action` and, if it is not granted just there, what it `touches`.
    """

    def __init__(self, reason: str, action: str, touches: str = "") -> None:
        super().__init__(reason)
        self.needed = {"action": action} | ({"touches": touches} if touches else {})


class UnreadableError(Exception):
    """It is allowed and cannot be read; the text is a sentence."""


class GrantedFiles:
    """What one grant lets its holder read and write below the workspace.

    `own` are paths from the workspace that nobody may write, with all below them, whatever the
    grant says: forge's own files, the manifest, the evidence.
    """

    def __init__(self, workspace: Path, grant: Grant, own: Collection[str] = ()) -> None:
        self._workspace = workspace
        self._grant = grant
        self._own = frozenset(map(told_apart, own))
        self._writes = [parse(text) for text in grant.writes]
        scopes = [parse(text) for text in grant.scope]
        self._scopes = [scope for scope in scopes if scope.kind == "files"]
        self._dotted = any(part.startswith(".") for s in self._scopes for part in s.segments)

    def read(self, path: str) -> bytes:
        """The bytes of a file; `DeniedError` or `UnreadableError` say why not."""
        self._check(path)
        try:
            with reading(opened(self._workspace, path, FILE)) as file:
                status = os.fstat(file.fileno())
                if not stat.S_ISREG(status.st_mode):
                    raise UnreadableError(f"{path!r} is no regular file")
                if status.st_size > LARGEST:
                    raise UnreadableError(
                        f"{path!r} has {status.st_size} bytes, at most {LARGEST} are read"
                    )
                return file.read(LARGEST)
        except (OSError, ValueError) as error:
            raise UnreadableError(_reason(path, error)) from None

    def write(self, path: str, data: bytes) -> None:
        """Make the file, with the folders above it, or replace what it holds.

        `DeniedError` or `UnwritableError` say why not; then nothing was changed, except that
        folders may have been made.
        """
        self._check_write(path)
        if len(data) > LARGEST:
            raise UnwritableError(
                f"{path!r} would have {len(data)} bytes, at most {LARGEST} may be"
            )
        try:
            writing.replace(self._workspace, path, data)
        except (OSError, ValueError) as error:
            raise UnwritableError(_reason(path, error, "written")) from None

    def edit(self, path: str, change: Callable[[bytes], bytes]) -> None:
        """Replace what the file holds by what `change` makes of it, at once.

        Raises what `read` and `write` do, and what `change` does.
        """
        self._check(path)
        self._check_write(path)
        try:
            writing.edit(self._workspace, path, change, LARGEST)
        except OSError as error:
            raise UnwritableError(_reason(path, error, "written")) from None

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
                names = listed(self._workspace, "/".join(parts), links=False)
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

    def _may_hold(self, name: str) -> bool:
        return self._dotted or not name.startswith(".")

    def _check(self, path: str) -> None:
        self._check_action()
        if not matches(self._scopes, "/".join(_parts(path))):
            scope = ", ".join(self._grant.scope) or "nothing"
            reason = f"read {path!r} is denied: its scope is {scope}"
            raise DeniedError(reason, "file-read", f"files:{path}")

    def _check_write(self, path: str) -> None:
        self._check_action("file-write", "writing")
        parts = _parts(path)
        if not matches(self._writes, "/".join(parts)):
            writes = ", ".join(self._grant.writes) or "nothing"
            reason = f"write {path!r} is denied: not in its writes: {writes}"
            raise DeniedError(reason, "file-write", f"files:{path}")
        above = ("/".join(parts[:depth]) for depth in range(1, len(parts) + 1))
        if not self._own.isdisjoint(map(told_apart, above)):
            raise DeniedError(
                f"write {path!r} is denied: forge's own files, the manifest and the evidence are"
                " written by nobody else",
                "file-write",
                f"files:{path}",
            )

    def _check_action(self, action: str = "file-read", doing: str = "reading") -> None:
        if action not in self._grant.actions:
            held = ", ".join(sorted(self._grant.capabilities)) or "nothing"
            raise DeniedError(f"{doing} files is denied: its authority is {held}", action)


def _parts(path: str) -> list[str]:
    """The names along a path from the workspace; none for the workspace itself."""
    parts = names_of(path)
    if parts is None:
        raise UnreadableError(f"{path!r} is no path from the workspace; write it like src/main.py")
    return parts


def told_apart(path: str) -> str:
    """What names of one file have in common where a system takes letters for each other."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", path).casefold())


def _reason(path: str, error: Exception, what: str = "read") -> str:
    if isinstance(error, OSError) and error.errno == errno.ELOOP:
        return f"{path!r} cannot be {what}: it leads through a link"
    if isinstance(error, OSError) and error.errno is not None:
        return f"{path!r} cannot be {what}: {os.strerror(error.errno)}"
    return f"{path!r} cannot be {what}"
