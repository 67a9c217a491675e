"""What the arguments of a tool reach: paths and addresses, held against a grant before the call."""

import errno
import os
import re
import stat
from collections.abc import Collection, Iterator
from pathlib import Path
from urllib.parse import urlsplit

from forge_cli.gateway.files import told_apart
from forge_cli.gateway.folders import GONE, MOST, listed, names_of, within
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


def unreachable(
    value: Json,
    grant: Grant,
    actions: frozenset[str],
    workspace: Path,
    own: Collection[str] = (),
) -> str:
    """Why the grant does not hold an argument that is a path, an address or a list of these.

    Nothing if it does. `actions` are those of the tool's capability: with `file-write` the path
    must be one that may be written, and none of forge's `own`; with `network` alone
    the value is an address. A server opens what it is told by itself, so what changes between
    this look and that is for a sandbox to hold.
    """
    values = value if isinstance(value, list) else [value]
    if not values:
        return "an empty list does not say what it reaches"
    for each in values:
        if not isinstance(each, str):
            return f"{each!s:.80} is neither a path nor an address"
        if fault := _fault(each, grant, actions, workspace, own):
            return fault
    return ""


def touched(
    value: Json,
    grant: Grant,
    actions: frozenset[str],
    workspace: Path,
    own: Collection[str] = (),
) -> str:
    """The `files:<path>` or `net:<host>:<port>` for which an argument is unreachable.

    Nothing where that is for another reason, like a path that is not clear.
    """
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, str) and _fault(each, grant, actions, workspace, own):
            return _touched(each, grant, actions, workspace)
    return ""


def _touched(value: str, grant: Grant, actions: frozenset[str], workspace: Path) -> str:
    try:
        if _is_address(value, actions):
            return parse(f"net:{_host_and_port(value)}").text
        path = _from(workspace, value)
        if _unclear(path):
            return ""
        beyond = _beyond(workspace, path, _allowed(grant, actions))
        return f"files:{path if beyond is None else beyond}"
    except (OSError, OverflowError, ValueError):
        return ""


def off_limits(address: str, grant: Grant) -> str:
    """Why the grant does not hold an address: `https://host/...` or `host:port`."""
    try:
        scope = parse(f"net:{_host_and_port(address)}")
    except ValueError as error:
        return f"{address!r} is denied: {error}"
    if scope.text in grant.scope:
        return ""
    return f"{address!r} is denied: its scope is {_named(grant.scope)}"


def _fault(
    value: str, grant: Grant, actions: frozenset[str], workspace: Path, own: Collection[str]
) -> str:
    if _is_address(value, actions):
        return off_limits(value, grant)
    allowed = _allowed(grant, actions)
    path = _from(workspace, value)
    if reason := _unclear(path):
        return f"{value!r} is denied: {reason}"
    try:
        beyond = _beyond(workspace, path, allowed)
    except OSError as error:
        return f"{value!r} is denied: {error.strerror}"
    except OverflowError:
        return f"{value!r} is denied: over {MOST} files lie below it, too many to look at"
    if beyond is None:
        is_own = "file-write" in actions and any(_meet(each, path) for each in own)
        what = "forge's own files, the manifest and the evidence are written by nobody else"
        return f"{value!r} is denied: {what}" if is_own else ""
    line = "writes" if "file-write" in actions else "scope"
    what = "" if beyond == path else f" it reaches {beyond!r}, and"
    return f"{value!r} is denied:{what} its {line} is {_named(allowed)}"


def _is_address(value: str, actions: frozenset[str]) -> bool:
    return "://" in value or ("network" in actions and not actions & {"file-read", "file-write"})


def _allowed(grant: Grant, actions: frozenset[str]) -> tuple[str, ...]:
    return grant.writes if "file-write" in actions else grant.scope


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


def _beyond(workspace: Path, path: str, allowed: tuple[str, ...]) -> str | None:
    """The first path that this one reaches and that is not allowed: itself, or some below it.

    Of a folder that is everything in it, also under names that begin with a dot. `OSError` where
    it leads through a link, `OverflowError` for too many entries.
    """
    if path and not _is_folder(workspace, path):
        return None if matches(allowed, path) else path
    literal = path.replace("[", "[[]")
    try:
        whole = contains(allowed, f"files:{literal}/**" if path else "files:**")
    except ValueError:  # longer than any scope
        return path
    if not whole.holds:
        return whole.witness or path
    return next((below for below in _below(workspace, path) if not matches(allowed, below)), None)


def _below(workspace: Path, path: str) -> Iterator[str]:
    left, waiting = MOST, [path]
    while waiting:
        here = waiting.pop()
        for name, is_folder in _listed(workspace, here):
            left -= 1
            if left < 0:
                raise OverflowError
            below = f"{here}/{name}" if here else name
            if is_folder:
                waiting.append(below)
            else:
                yield below


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
