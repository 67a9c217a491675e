"""What the arguments of a tool reach: paths and addresses, held against a grant before the call."""

import errno
import os
import re
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from forge_cli.gateway.files import told_apart
from forge_cli.gateway.folders import GONE, MOST, listed, names_of, within
from forge_cli.gateway.names import disguised
from forge_cli.multiagent import glob
from forge_cli.multiagent.grants import Grant
from forge_cli.multiagent.scope import contains, matches, parse
from forge_cli.multiagent.terms import Json

PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21, "ssh": 22}
_URL = re.compile(r"[!#-;=?-Z\[\]_a-z~]+")
"""The characters of URLs (RFC 3986); readers of any other one differ about where the host ends."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
"""How every address begins (RFC 3986, 3.1), also one without `//`."""

_EXPANDED = re.compile(r"[%$*?]")
"""What is decoded in addresses, and expanded in shells."""


class Refused(NamedTuple):
    """Why a grant does not hold an argument.

    `touches` is the `files:<path>` or `net:<host>:<port>` beyond it, empty where that is not clear.
    """

    reason: str
    touches: str = ""


@dataclass(slots=True)
class Reach:
    """What the arguments of one call reach, held against a grant.

    `actions` are those of the tool's capability: with `file-write` a path must be one that may be
    written, and none of forge's `own`; with `network` alone an argument is an address. `left` is
    how many files below folders are still looked at: one call may name many. A server opens what
    it is told by itself, so what changes between this look and that is for a sandbox to hold.
    """

    grant: Grant
    actions: frozenset[str]
    workspace: Path
    own: Collection[str] = ()
    left: int = field(default_factory=lambda: MOST)

    def refusal(self, value: Json) -> Refused | None:
        """Why an argument is not held that is a path, an address or a list of these; or None."""
        values = value if isinstance(value, list) else [value]
        if not values:
            return Refused("an empty list does not say what it reaches")
        for each in values:
            if not isinstance(each, str):
                return Refused(f"{each!s:.80} is neither a path nor an address")
            if found := self._refusal(each):
                return found
        return None

    def _refusal(self, value: str) -> Refused | None:
        if self._is_address(value):
            return off_limits(value, self.grant)
        writes = "file-write" in self.actions
        allowed = self.grant.writes if writes else self.grant.scope
        path = _from(self.workspace, value)
        if reason := _unclear(path):
            return Refused(f"{value!r} is denied: {reason}")
        try:
            beyond = self._beyond(path, allowed)
        except OSError as error:
            return Refused(f"{value!r} is denied: {error.strerror}")
        except OverflowError:
            what = f"over {MOST} files lie below what the call names, too many to look at"
            return Refused(f"{value!r} is denied: {what}")
        if beyond is None:
            if not (writes and any(_meet(each, path) for each in self.own)):
                return None
            what = "forge's own files, the manifest and the evidence are written by nobody else"
            return Refused(f"{value!r} is denied: {what}", f"files:{path}")
        what = "" if beyond == path else f" it reaches {beyond!r}, and"
        told = f"{what} its {'writes' if writes else 'scope'} is {_named(allowed)}"
        return Refused(f"{value!r} is denied:{told}", f"files:{beyond}")

    def _is_address(self, value: str) -> bool:
        on_files = self.actions & {"file-read", "file-write"}
        return "://" in value or ("network" in self.actions and not on_files)

    def _beyond(self, path: str, allowed: tuple[str, ...]) -> str | None:
        """The first path that this one reaches and that is not allowed: itself, or some below it.

        Of a folder that is everything in it, also under names that begin with a dot. `OSError`
        where it leads through a link, `OverflowError` for too many entries.
        """
        if path and not _is_folder(self.workspace, path):
            return None if matches(allowed, path) else path
        literal = path.replace("[", "[[]")
        try:
            whole = contains(allowed, f"files:{literal}/**" if path else "files:**")
        except ValueError:  # longer than any scope
            return path
        if not whole.holds:
            return whole.witness or path
        return next((below for below in self._below(path) if not matches(allowed, below)), None)

    def _below(self, path: str) -> Iterator[str]:
        waiting = [path]
        while waiting:
            here = waiting.pop()
            for name, is_folder in _listed(self.workspace, here):
                self.left -= 1
                if self.left < 0:
                    raise OverflowError
                below = f"{here}/{name}" if here else name
                if is_folder:
                    waiting.append(below)
                else:
                    yield below


def off_limits(address: str, grant: Grant) -> Refused | None:
    """Why the grant does not hold an address, `https://host/...` or `host:port`; or None.

    Also a granted name may not stand for this machine or a metadata service; to look that up takes
    as long as the system needs.
    """
    try:
        scope = parse(f"net:{_host_and_port(address)}")
    except ValueError as error:
        return Refused(f"{address!r} is denied: {error}")
    if scope.text not in grant.scope:
        return Refused(f"{address!r} is denied: its scope is {_named(grant.scope)}", scope.text)
    host = scope.text.removeprefix("net:").rpartition(":")[0]
    if where := disguised(host):
        what = f"{host} stands for {where}, which is only reached under its own name"
        return Refused(f"{address!r} is denied: {what}")
    return None


def _from(workspace: Path, value: str) -> str:
    """The path from the workspace that an argument writes so or from the root, if it does."""
    path = value.removeprefix(f"{workspace}/").removesuffix("/") if value != "/" else value
    return "" if path in (".", str(workspace)) else path


def _unclear(path: str) -> str:
    """Why a server may take the path for another one than it is, or nothing.

    What no scope may be written with no argument may be, either; nor what a server could expand,
    decode or take for an address.
    """
    if names_of(path) is None:
        return "it is no path below the workspace, like src/main.py"
    if _SCHEME.match(path):
        return "what stands before its colon may be taken for a scheme; write it like src/main.py"
    if found := _EXPANDED.search(path):
        return f"a server may take its {found[0]!r} for more than a character of a name"
    return (path and glob.fault(path)) or ""


def _meet(one: str, other: str) -> bool:
    """Whether one path is the other, or lies below it."""
    one, other = (f"{told_apart(each)}/" if each else "" for each in (one, other))
    return one.startswith(other) or other.startswith(one)


def _is_folder(workspace: Path, path: str) -> bool:
    """Whether the path is a folder; one that is not there is none, a link raises `OSError`."""
    names = path.split("/")
    for depth in range(1, len(names) + 1):
        with within(workspace, "/".join(names[:depth])) as (folder, name):
            try:
                mode = os.lstat(name, dir_fd=folder).st_mode
            except FileNotFoundError:
                return False
        if stat.S_ISLNK(mode):
            raise OSError(errno.ELOOP, "it leads through a link")
        if not stat.S_ISDIR(mode):
            return False
    return True


def _listed(workspace: Path, path: str) -> list[tuple[str, bool]]:
    try:
        return listed(workspace, path, links=True)
    except OSError as error:
        if error.errno in GONE and path:
            return []  # it was there a moment ago
        raise


def _host_and_port(address: str) -> str:
    """`host:port` of an address, as scopes write it; `ValueError` if it does not say both."""
    if not _URL.fullmatch(address):
        raise ValueError("it has characters that no address has")
    if "://" not in address:
        return address.lower()
    parts = urlsplit(address)
    port = parts.port or PORTS.get(parts.scheme)
    if not parts.hostname or port is None:
        raise ValueError("it does not say which host and port; write https://host:port/...")
    return f"{parts.hostname}:{port}"


def _named(scope: tuple[str, ...]) -> str:
    return ", ".join(scope) or "nothing"
