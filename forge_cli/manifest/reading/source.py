"""Files to bytes, and bytes to plain data: within limits, whatever they hold."""

import errno
import os
import stat
import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from yaml.error import MarkedYAMLError

from forge_cli.errors import ForgeError
from forge_cli.manifest.findings import TOP, Finding, Path, Place, Spot
from forge_cli.manifest.reading.events import events, place_of
from forge_cli.manifest.reading.refusals import start_of
from forge_cli.manifest.reading.scalars import shorten
from forge_cli.manifest.reading.text import decode
from forge_cli.manifest.reading.tree import StopError, Tree

if TYPE_CHECKING:
    from forge_cli.manifest.reading.ignores import Ignore

MAX_SIZE = 8 * 2**20
"""Bytes of one manifest, unless the caller says otherwise."""

BEGIN = "begin with  forge: 1"
"""What to type where there is no manifest."""

_MAX_DIRECTIVES = 64
_CHUNK = 2**20
_KINDS = (
    (stat.S_ISDIR, "is a folder"),
    (stat.S_ISFIFO, "is a named pipe"),
    (stat.S_ISCHR, "is a device"),
    (stat.S_ISBLK, "is a device"),
    (stat.S_ISSOCK, "is a socket"),
)
_REASONS = {
    errno.ELOOP: "is a link that leads back to itself",
    errno.ENOTDIR: "does not exist: a part of its path is a file, not a folder",
    errno.EACCES: "may not be read by this user",
    errno.ENXIO: "is a socket or a device without a driver",
    errno.ENAMETOOLONG: "does not exist: the name is too long",
}


class Origin(NamedTuple):
    """Where a role, schema or capability comes from that the manifest does not have itself.

    `file` is its path from the manifest's folder, `entry` the place in the manifest's own
    `include` that leads to it.
    """

    file: str
    entry: Path

    @property
    def folder(self) -> str:
        """From where the file names others; empty if that is the manifest's folder, too."""
        return os.path.dirname(self.file)


class Source(NamedTuple):
    """One parsed manifest, maybe with what it includes.

    `data` is a mapping of text to plain values (`str`, `int`, `float`, `bool`, None, `list`,
    `dict`), or None if the faults leave nothing to look at. `holes` are the paths of mappings
    that lack a key only because it was faulty: nothing follows from its absence. `ignores` are the
    comments that ask to tell no warning of a line.

    `included` are the bytes of included files by their paths from the manifest's folder, `origins`
    says what of the data is from them. It is not `complete` if they may have more than was read.
    """

    data: dict[str, Any] | None
    faults: tuple[Finding, ...] = ()
    holes: frozenset[Path] = frozenset()
    ignores: "tuple[Ignore, ...]" = ()
    included: Mapping[str, bytes] = MappingProxyType({})
    origins: Mapping[Path, Origin] = MappingProxyType({})
    complete: bool = True


def read(path: str | os.PathLike[str], max_size: int = MAX_SIZE) -> bytes:
    """The bytes of a regular file; `ForgeError` if it is anything else or has over `max_size`."""
    name = os.fspath(path)
    try:
        # Without O_NONBLOCK, opening a named pipe waits for somebody to write to it.
        opened = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
        try:
            return _read_regular(opened, name, max_size)
        finally:
            os.close(opened)
    except OSError as error:
        raise ForgeError(f"'{name}' {_reason(name, error)}") from None
    except ValueError:
        raise ForgeError(f"'{name}' does not exist: a name holds no NUL character") from None


def read_stream(descriptor: int, name: str, max_size: int = MAX_SIZE) -> bytes:
    """All bytes of an open pipe or file; `ForgeError` if there are more than `max_size`.

    What a file says of its size is not asked: it may grow, and those of /proc say 0.
    """
    chunks, size = [], 0
    while chunk := os.read(descriptor, min(_CHUNK, max_size + 1 - size)):
        chunks.append(chunk)
        size += len(chunk)
        if size > max_size:
            raise ForgeError(
                f"'{name}' is larger than {max_size} bytes, the limit for one manifest; "
                "split it, or raise the limit: --max-size BYTES"
            )
    return b"".join(chunks)


def read_standard_input(name: str, max_size: int = MAX_SIZE) -> bytes:
    """All bytes of standard input, which people know by a name; `ForgeError` if there are none."""
    try:
        if sys.stdin is None:
            raise ForgeError("standard input is closed; pipe a manifest into it, or name a file")
        return read_stream(0, name, max_size)
    except OSError as error:
        raise ForgeError(f"standard input cannot be read: {error.strerror}") from None


def parse(data: bytes) -> Source:
    """The plain data of a manifest's bytes, and every fault of its YAML in one pass.

    The findings' own spots have their `place` set; related ones may be symbolic.
    """
    text, faults = decode(data)
    if faults and not text:
        return Source(None, tuple(faults))
    if finding := _too_many_directives(text):
        return Source(None, (*faults, finding))
    tree = Tree(text, list(faults))
    try:
        tree.take(events(text))
    except StopError:
        return Source(None, tuple(tree.faults))
    except MarkedYAMLError as error:
        from forge_cli.manifest.reading.syntax import explain

        return Source(None, (*tree.faults, *_unless_follows(explain(error, text), faults)))
    if isinstance(tree.root, dict):
        return Source(tree.root, tuple(tree.faults), frozenset(tree.holes), _ignores(text))
    if tree.root is not None or not tree.faults:
        tree.faults.append(_no_mapping(tree))
    return Source(None, tuple(tree.faults))


def _ignores(text: str) -> "tuple[Ignore, ...]":
    """Only a text that has the word is looked at again."""
    if "ignore" not in text:
        return ()
    from forge_cli.manifest.reading.ignores import ignores

    return ignores(text)


def _read_regular(descriptor: int, name: str, max_size: int) -> bytes:
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        kind = next((kind for is_kind, kind in _KINDS if is_kind(mode)), "is not a file")
        raise ForgeError(f"'{name}' {kind}, not a file that holds a manifest")
    return read_stream(descriptor, name, max_size)


def _reason(name: str, error: OSError) -> str:
    if error.errno == errno.ENOENT and os.path.islink(name):
        return f"is a link to '{os.readlink(name)}', which does not exist"
    if error.errno == errno.ENOENT:
        from forge_cli.manifest.reading.discovery import beside

        return f"does not exist{beside(name)}"
    return _REASONS.get(error.errno or 0, f"cannot be read: {error.strerror}")


def _too_many_directives(text: str) -> Finding | None:
    """libyaml compares each directive with all before it; a file of them would take minutes."""
    count = text.count("\n%") + text.startswith("%")
    if count <= _MAX_DIRECTIVES:
        return None
    line = 1 if text.startswith("%") else text.count("\n", 0, text.index("\n%")) + 2
    message = f"{count} lines begin with '%'; a manifest has at most {_MAX_DIRECTIVES}"
    return Finding("too-large", Spot(place=Place(line, 1, line, 2)), message, "delete them")


def _unless_follows(finding: Finding, faults: list[Finding]) -> list[Finding]:
    """Nothing if the line holds a fault of its characters, which is then the cause."""
    lines = {fault.spot.place.line for fault in faults if fault.spot.place}
    return [] if finding.spot.place and finding.spot.place.line in lines else [finding]


def _no_mapping(tree: Tree) -> Finding:
    hint = BEGIN
    if tree.root is None:
        place = TOP if tree.root_event is None else start_of(tree.root_event)
        return Finding("empty-manifest", Spot(place=place), "empty manifest", hint)
    message = "the top level must be a mapping, found "
    if isinstance(tree.root, list):
        return Finding(
            "wrong-type", Spot(place=start_of(tree.root_event)), message + "a list", hint
        )
    message += f"'{shorten(tree.root_event.value)}'"
    return Finding("wrong-type", Spot(place=place_of(tree.root_event)), message, hint)
