"""A manifest and the files that it includes, as one tree of plain data that knows its origins."""

from functools import lru_cache
from os.path import dirname, isabs, join, normpath
from typing import Any

from forge_cli.manifest.files import Files
from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.naming import brief, shape, shown
from forge_cli.manifest.reading.refusals import MAX_NODES
from forge_cli.manifest.reading.source import BEGIN, MAX_SIZE, Origin, Source, parse
from forge_cli.manifest.reading.text import MAX_FAULTS
from forge_cli.manifest.suggest import nearest, suggest

KEYS = ("include", "roles", "schemas", "capabilities")
"""What an included file may have."""

MAX_FILES = 100
"""Files that one manifest may include, whatever includes them."""

_NOUNS = {"roles": "role", "schemas": "schema", "capabilities": "capability"}
_WHERE = ",\nfrom below the git root, or where there is none, below the manifest's folder"
_HINT = f"an included file has {', '.join(KEYS[:-1])} and {KEYS[-1]}"


def with_included(source: Source, path: str, files: Files) -> Source:
    """The manifest with the roles, schemas and capabilities of all that it includes.

    `path` is the name that people know the manifest by. What is defined twice stays as it is in
    the manifest, or in the file that comes first. Faults of the files point into them; `files` may
    read below their folders from now on.
    """
    gathering = _Gathering(source, path, files)
    gathering.gather()
    return gathering.gathered()


def including(name: str) -> Source:
    """The least manifest that includes a file, for what is wrong with the file by itself."""
    idle = {"run": ["true"], "capabilities": []}
    return Source({"forge": 1, "include": [name], "work_items": {"idle": idle}})


def name_of(path: str, file: str) -> str:
    """How people write an included file, given its path from the folder of the manifest `path`."""
    return normpath(join(dirname(path), file))


class _Gathering:
    """Follows `include` from file to file; each file is taken in once."""

    def __init__(self, source: Source, path: str, files: Files) -> None:
        self._source = source
        self._path = path
        self._files = files
        self._data: dict[str, Any] = dict(source.data or {})
        self._faults = list(source.faults)
        self._holes = set(source.holes)
        self._ignores = list(source.ignores)
        self._nodes = 0
        self._size = 0
        self._seen: set[str] = set()
        self._included: dict[str, bytes] = {}
        self._origins: dict[Path, Origin] = {}
        self._complete = True
        self._full = False

    def gather(self) -> None:
        """Take in all that the manifest leads to."""
        own = self._path.rpartition("/")[2]
        self._follow("", self._data.get("include"), (own,), None)

    def gathered(self) -> Source:
        """What came of it."""
        return self._source._replace(
            data=self._data,
            faults=tuple(self._faults),
            holes=frozenset(self._holes),
            ignores=tuple(self._ignores),
            included=self._included,
            origins=self._origins,
            complete=self._complete,
        )

    def _follow(
        self, holder: str, entries: Any, trail: tuple[str, ...], entry: Path | None
    ) -> None:
        """Include what a file lists; `trail` are the files that lead to it, itself the last."""
        listed = entries if isinstance(entries, list) else [None]
        told: set[str] = set()
        for index, written in enumerate(listed):
            if self._full or not isinstance(written, str):
                self._complete = False
                continue
            place = ("include", index)
            name = written if isabs(written) else normpath(join(dirname(holder), written))
            if name not in told:
                told.add(name)
                self._include(name, Spot(place, file=self._name(holder)), trail, entry or place)

    def _include(self, name: str, spot: Spot, trail: tuple[str, ...], entry: Path) -> None:
        identities = [self._files.identity(each) for each in trail]
        identity = self._files.identity(name)
        if identity in identities:
            circle = (*trail[identities.index(identity) :], name)
            self._tell("include-cycle", spot, *_circular([self._name(each) for each in circle]))
        elif identity not in self._seen:
            self._seen.add(identity)
            data = self._read(name, spot)
            if data is not None:
                self._take(name, data, trail, entry)

    def _read(self, name: str, spot: Spot) -> bytes | None:
        """The bytes of a file that is not too much; else why not is told, and it is left out."""
        found = b"" if self._excess(0) else self._files.include(name)
        if isinstance(found, str):
            hint = f"files are included by their path from the file that does it{_WHERE}"
            message = f"the included file '{self._name(name)}' {found}"
            if near := nearest(name, self._files.beside(name)):
                spot = spot._replace(note=f"did you mean '{self._name(near)}'?")
            self._tell("unreadable-include", spot, message, hint)
        elif fault := self._excess(len(found)):
            self._full = True
            self._tell("too-large", spot, fault, "include only what is used")
        else:
            self._size += len(found)
            return found
        self._complete = False
        return None

    def _excess(self, size: int) -> str:
        if len(self._seen) > MAX_FILES:
            return f"more than {MAX_FILES} files are included"
        if self._size + size > MAX_SIZE:
            return f"the included files are larger than {MAX_SIZE:,} bytes together"
        if self._nodes > MAX_NODES:
            return f"the included files have more than {MAX_NODES:,} values together"
        if len(self._faults) > MAX_FAULTS:
            return f"more than {MAX_FAULTS:,} faults; from here on nothing was included"
        return ""

    def _take(self, name: str, data: bytes, trail: tuple[str, ...], entry: Path) -> None:
        file = self._name(name)
        data, parsed = _parsed(data)
        self._nodes += _count(parsed.data)
        self._included[name] = data
        self._faults += (_told(fault, file) for fault in parsed.faults)
        self._ignores += (comment._replace(file=file) for comment in parsed.ignores)
        self._complete &= parsed.data is not None and () not in parsed.holes
        self._holes |= {hole for hole in parsed.holes if hole and hole[0] in _NOUNS}
        for key, value in (parsed.data or {}).items():
            if key in _NOUNS and isinstance(value, dict):
                self._merge(key, value, Origin(name, entry))
            elif key == "include" and isinstance(value, list):
                self._follow(name, value, (*trail, name), entry)
            else:
                self._complete = self._complete and key not in KEYS
                self._faults.append(_stray(key, value, file))

    def _merge(self, section: str, entries: dict[str, Any], origin: Origin) -> None:
        known = self._data.setdefault(section, {})
        if not isinstance(known, dict):
            return
        self._data[section] = known = dict(known)
        for name, value in entries.items():
            if name in known:
                self._duplicate((section, name), origin)
            else:
                known[name] = value
                self._origins[section, name] = origin

    def _duplicate(self, path: Path, origin: Origin) -> None:
        """A second definition: the manifest's own, or that of the file which comes later."""
        here, there = Spot(path, "key"), Spot(path, "key", "and here", file=self._name(origin.file))
        if first := self._origins.get(path):
            here = there._replace(note="")
            there = there._replace(file=self._name(first.file), note="first here")
        noun, name = f"{_NOUNS[str(path[0])]} '{shown(path[1])}'", there.file
        message = f"{noun} is defined here and in '{name}'"
        hint = "rename one of them, or delete the one that is not meant"
        self._faults.append(Finding("duplicate-definition", here, message, hint, (there,)))

    def _tell(self, rule: str, spot: Spot, message: str, hint: str) -> None:
        self._faults.append(Finding(rule, spot, message, hint))

    def _name(self, file: str) -> str:
        return name_of(self._path, file) if file else ""


@lru_cache(maxsize=16)
def _parsed(data: bytes) -> tuple[bytes, Source]:
    """What the bytes say, and they themselves, once: many manifests include the same files."""
    return data, parse(data)


def _told(fault: Finding, file: str) -> Finding:
    """A fault of an included file's YAML, in that file."""
    if fault.rule == "empty-manifest":
        fault = fault._replace(message="the included file is empty", hint=_HINT)
    return fault._replace(
        hint=_HINT if fault.hint == BEGIN else fault.hint,
        spot=fault.spot._replace(file=file),
        related=tuple(spot._replace(file=file) for spot in fault.related),
    )


def _stray(key: str, value: Any, file: str) -> Finding:
    """A key that an included file has not, or a section that is no mapping."""
    if key not in KEYS:
        meant = suggest(key, KEYS)
        note = f"did you mean '{meant.word}'?" if meant else ""
        message = f"unknown key '{shown(key)}' in an included file"
        return Finding("unknown-key", Spot((key,), "key", note, file=file), message, _HINT)
    wanted = "list" if key == "include" else "mapping"
    message = f"expected {wanted}, found {shape(value)} for '{key}'"
    return Finding("wrong-type", Spot((key,), file=file), message, f"forge explain {key}")


def _circular(files: list[str]) -> tuple[str, str]:
    """What is wrong with a circle of files, and what to do."""
    if len(files) == 2:
        return f"'{files[0]}' includes itself", "delete this entry"
    told = f"files include each other in a circle: {brief(' -> '.join(files))}"
    return told, "delete this entry, or one of the others"


def _count(value: Any) -> int:
    """How many values there are in one, itself included; no file nests them deeply."""
    if not isinstance(value, dict | list):
        return 1
    return 1 + sum(map(_count, value.values() if isinstance(value, dict) else value))
