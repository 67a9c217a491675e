"""JSON Schemas as manifests name them: loaded, and made self-contained, without a network."""

import json
import re
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from posixpath import dirname, join, normpath
from typing import Any, NamedTuple, Protocol
from urllib.parse import unquote, urldefrag, urljoin

from forge_cli.manifest.findings import Path

DIALECT = "https://json-schema.org/draft/2020-12/schema"
DATA = frozenset({"const", "default", "enum", "examples"})
"""Keywords whose values are data, so that a `$ref` in them is none."""

_MAPS = frozenset({"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"})
"""Keywords whose values hold schemas by names, so that a key in them is no keyword."""

_INDEX = re.compile(r"[0-9]{1,9}")


class Readable(Protocol):
    """The files beside a manifest."""

    def read(self, name: str) -> bytes | None:
        """The bytes of a file by its path from the manifest's folder, or None."""
        ...

    def problem(self, name: str) -> str | None:
        """Why a file cannot be read, as the end of a sentence; None if it can."""
        ...


ANYTHING = '{"type": "object"}'
"""A schema that takes every result, as a first one to type."""


class Problem(NamedTuple):
    """What is wrong in a schema: at a path inside the document of a file (the first: '')."""

    message: str
    path: Path = ()
    file: str = ""
    hint: str = ""


class Bundle(NamedTuple):
    """A schema all of whose references lead into itself, and what it was made from.

    `documents` are the others that it took in, by file, or by `$id` if they have none.
    """

    schema: Any
    files: tuple[str, ...]
    problems: tuple[Problem, ...]
    documents: Mapping[str, Any]


class _Resource(NamedTuple):
    """What a reference is relative to: a document, the part of it with the nearest `$id`, that."""

    name: str
    root: Path = ()
    base: str = ""

    def within(self, value: Any, path: Path) -> "_Resource":
        own = value.get("$id") if isinstance(value, dict) else None
        if not isinstance(own, str) or not _is_address(own):
            return self
        return _Resource(self.name, path, urljoin(self.base, own))


def _is_address(text: str) -> bool:
    """Whether the text can be taken apart as an address: `http://[x` cannot."""
    try:
        urljoin("http://host/", text)
    except ValueError:
        return False
    return True


MAX_DEPTH = 100
"""Levels of a schema in a file; to hold it against the metaschema takes some frames for each."""


def load(data: bytes) -> tuple[Any, str]:
    """The JSON value of a file, or None and what is wrong with it."""
    try:
        value = json.loads(data.decode("utf-8-sig"))
        return (None, _TOO_DEEP) if _is_deep(value) else (value, "")
    except UnicodeDecodeError as error:
        return None, f"is not UTF-8 at byte {error.start + 1}"
    except json.JSONDecodeError as error:
        return None, f"is not JSON at line {error.lineno}, column {error.colno}: {error.msg}"
    except RecursionError:
        return None, _TOO_DEEP
    except ValueError:
        return None, "holds a number that nothing can read"


_TOO_DEEP = f"is nested more than {MAX_DEPTH} levels deep"


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [part for each in level for part in _parts(each)]
        if not level:
            return False
    return True


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


class Known(NamedTuple):
    """Schemas that others may refer to by their `$id`, and what in them has one of its own."""

    documents: Mapping[str, Any]
    places: MutableMapping[str, tuple[str, Path]]

    @classmethod
    def of(cls, documents: Mapping[str, Any]) -> "Known":
        """Index the documents, by their `$id`, once for all who refer to them."""
        places: dict[str, tuple[str, Path]] = {}
        for name, document in documents.items():
            _index(places, name, document)
        return cls(documents, places)


def bundle(document: Any, file: str, files: Readable, known: Known, folder: str = "") -> Bundle:
    """Follow every `$ref` of a schema and take in what it leads to.

    `file` is where the document lies, empty if it is written in the manifest, or in a file that it
    includes from `folder`; `known` are other schemas of the manifest, so that an address is looked
    up there and nowhere else.
    """
    return _Bundler(document, file, files, known, folder).bundle()


class _Bundler:
    def __init__(
        self, document: Any, file: str, files: Readable, known: Known, folder: str
    ) -> None:
        self._files = files
        self._folder = folder
        self._known = known.documents
        self._documents: dict[str, Any] = {}
        self._anchors: dict[tuple[str, Path], Mapping[str, str]] = {}
        self._places: MutableMapping[str, tuple[str, Path]] = {}
        self._first = file
        self._problems: list[Problem] = []
        self._waiting: list[str] = []
        self._enter(file, document)
        # What the document names itself goes before what others have.
        self._places = ChainMap(self._places, known.places)

    def bundle(self) -> Bundle:
        parts: dict[str, Any] = {}
        while self._waiting:
            name = self._waiting.pop(0)
            document = self._documents[name]
            parts[name] = self._rewritten(document, (), _Resource(name).within(document, ()))
        schema = parts.pop(self._first)
        if parts and isinstance(schema, dict):
            embedded = {name: _without(part, "$schema") for name, part in parts.items()}
            schema = {**schema, "$defs": {**schema.get("$defs", {}), **embedded}}
        files = tuple(name for name in self._documents if name and name not in self._known)
        others = {name: self._documents[name] for name in parts}
        return Bundle(schema, files, tuple(self._problems), others)

    def _rewritten(self, value: Any, path: Path, resource: _Resource) -> Any:
        """The schema with references into the bundle, and without the `$id`s they went by."""
        if isinstance(value, list):
            return [self._rewritten(each, (*path, i), resource) for i, each in enumerate(value)]
        if not isinstance(value, dict):
            return value
        resource = resource.within(value, path)
        found: dict[str, Any] = {}
        for key, each in value.items():
            if key in ("$ref", "$dynamicRef") and isinstance(each, str):
                found[key] = self._target(each, (*path, key), resource)
            elif key in _MAPS and isinstance(each, dict):
                found[key] = {
                    name: self._rewritten(part, (*path, key, name), resource)
                    for name, part in each.items()
                }
            elif key in DATA:
                found[key] = each
            elif key == "$id":
                self._judge_id(each, (*path, key), resource)
            else:
                found[key] = self._rewritten(each, (*path, key), resource)
        return found

    def _judge_id(self, own: Any, path: Path, resource: _Resource) -> None:
        if isinstance(own, str) and not _is_address(own):
            message = f"the $id {own!r} is no address"
            self._problems.append(Problem(message, path, resource.name))

    def _target(self, reference: str, path: Path, resource: _Resource) -> str:
        try:
            if not _is_address(reference):
                raise LookupError("is no address")
            address, fragment = urldefrag(reference)
            here = (resource.name, resource.root)
            name, root = self._document(address, resource) if address else here
            pointer = self._pointer(name, root, unquote(fragment))
        except LookupError as error:
            message = f"the reference {reference!r} {error.args[0]}"
            self._problems.append(Problem(message, path, resource.name))
            return reference
        if path[-1] == "$dynamicRef" and not address:
            return reference
        start = "#" if name == self._first else f"#/$defs/{_escaped(name)}"
        return start + _written(root) + pointer

    def _document(self, address: str, resource: _Resource) -> tuple[str, Path]:
        """What an address means: by `$id` if something has it, else a file beside this one."""
        place = self._places.get(urljoin(resource.base, address))
        if place is not None:
            if place[0] not in self._documents:
                self._enter(place[0], self._known[place[0]])
            return place
        if "://" in address or address.startswith(("/", "urn:")):
            raise LookupError("is an address, and none of the manifest's schemas has it as its $id")
        # A file belongs to the folder it lies in, also if a $id says that it came from elsewhere.
        folder = dirname(resource.name) if resource.name else self._folder
        file = normpath(join(folder if "://" not in resource.name else "", unquote(address)))
        if file not in self._documents:
            data = self._files.read(file)
            if data is None:
                raise LookupError(f"leads to '{file}', which {self._files.problem(file)}")
            loaded, fault = load(data)
            if fault:
                raise LookupError(f"leads to '{file}', which {fault}")
            self._enter(file, loaded)
        return file, ()

    def _enter(self, name: str, document: Any) -> None:
        if name not in self._documents:
            self._documents[name] = document
            self._waiting.append(name)
            _index(self._places, name, document)

    def _pointer(self, name: str, root: Path, fragment: str) -> str:
        """The JSON pointer of a fragment; `LookupError` if it leads nowhere in the document."""
        document = _part(self._documents[name], root)
        if not fragment or fragment.startswith("/"):
            return _pointer(document, fragment)
        if (name, root) not in self._anchors:
            # Of equal anchors the first counts.
            found = [*_anchors(document, "")]
            self._anchors[name, root] = dict(reversed(found))
        if fragment not in self._anchors[name, root]:
            raise LookupError(f"leads to the anchor '{fragment}', which is not there")
        return self._anchors[name, root][fragment]


def _index(places: MutableMapping[str, tuple[str, Path]], name: str, document: Any) -> None:
    for resource in _resources(document, (), _Resource(name)):
        places.setdefault(resource.base, (name, resource.root))


def _resources(value: Any, path: Path, resource: _Resource) -> Iterator[_Resource]:
    """Every part of a document that has a `$id`, itself included."""
    if isinstance(value, list):
        for index, each in enumerate(value):
            yield from _resources(each, (*path, index), resource)
    elif isinstance(value, dict):
        inner = resource.within(value, path)
        if inner is not resource:
            yield inner
        for key, each in value.items():
            if key not in DATA:
                yield from _resources(each, (*path, key), inner)


def _part(document: Any, path: Path) -> Any:
    for step in path:
        document = document[step]
    return document


def _written(path: Path) -> str:
    """A path as a JSON pointer within a URI."""
    return "".join(f"/{_escaped(str(step))}" for step in path)


def _pointer(document: Any, fragment: str) -> str:
    value = document
    names = [step.replace("~1", "/").replace("~0", "~") for step in fragment.split("/")[1:]]
    for name in names:
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and _INDEX.fullmatch(name) and int(name) < len(value):
            value = value[int(name)]
        else:
            raise LookupError(f"leads to '{fragment}', which is not there")
    return _written(tuple(names))


def _anchors(value: Any, pointer: str) -> Iterator[tuple[str, str]]:
    """Every anchor and its JSON pointer."""
    if isinstance(value, dict):
        for name in (value.get("$anchor"), value.get("$dynamicAnchor")):
            if isinstance(name, str):
                yield name, pointer
        for key, each in value.items():
            if key not in DATA:
                yield from _anchors(each, f"{pointer}/{_escaped(key)}")
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _anchors(each, f"{pointer}/{index}")


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1").replace("%", "%25")


def _without(schema: Any, *keys: str) -> Any:
    if not isinstance(schema, dict):
        return schema
    return {key: value for key, value in schema.items() if key not in keys}
