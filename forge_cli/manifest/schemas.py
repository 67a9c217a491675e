"""JSON Schemas as manifests name them: loaded, and made self-contained, without a network."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from posixpath import dirname, join, normpath
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin

from forge_cli.manifest.findings import Path

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_DATA = frozenset({"const", "default", "enum", "examples"})
"""Keywords whose values are data, so that a `$ref` in them is none."""

Read = Callable[[str], bytes | None]
"""The bytes of a file by its path from the manifest's folder, or None."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong in a schema: at a path inside the document of a file (the first: '')."""

    message: str
    path: Path = ()
    file: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Bundle:
    """A schema all of whose references lead into itself, and the files it was made from."""

    schema: Any
    files: tuple[str, ...]
    problems: tuple[Problem, ...]


def load(data: bytes) -> tuple[Any, str]:
    """The JSON value of a file, or None and what is wrong with it."""
    try:
        return json.loads(data.decode("utf-8-sig")), ""
    except UnicodeDecodeError as error:
        return None, f"is not UTF-8 at byte {error.start + 1}"
    except json.JSONDecodeError as error:
        return None, f"is not JSON at line {error.lineno}, column {error.colno}: {error.msg}"
    except RecursionError:
        return None, "is nested too deeply"


def bundle(document: Any, file: str, read: Read, known: Mapping[str, Any]) -> Bundle:
    """Follow every `$ref` of a schema and take in what it leads to.

    `file` is where the document lies, empty if it is written in the manifest; `known` are other
    schemas of the manifest by their `$id`, so that an address is looked up there and nowhere else.
    """
    return _Bundler(document, file, read, known).bundle()


class _Bundler:
    def __init__(self, document: Any, file: str, read: Read, known: Mapping[str, Any]) -> None:
        self._read = read
        self._known = known
        self._documents: dict[str, Any] = {file: document}
        self._first = file
        self._problems: list[Problem] = []
        self._waiting = [file]

    def bundle(self) -> Bundle:
        parts: dict[str, Any] = {}
        while self._waiting:
            name = self._waiting.pop(0)
            parts[name] = self._rewritten(self._documents[name], name, ())
        schema = _without(parts.pop(self._first), "$id")
        if parts and isinstance(schema, dict):
            embedded = {name: _without(part, "$id", "$schema") for name, part in parts.items()}
            schema = {**schema, "$defs": {**schema.get("$defs", {}), **embedded}}
        files = tuple(name for name in self._documents if name and name not in self._known)
        return Bundle(schema, files, tuple(self._problems))

    def _rewritten(self, value: Any, name: str, path: Path) -> Any:
        if isinstance(value, list):
            return [self._rewritten(each, name, (*path, i)) for i, each in enumerate(value)]
        if not isinstance(value, dict):
            return value
        found = {
            key: each if key in _DATA else self._rewritten(each, name, (*path, key))
            for key, each in value.items()
        }
        if isinstance(value.get("$ref"), str):
            found["$ref"] = self._target(value["$ref"], name, (*path, "$ref"))
        return found

    def _target(self, reference: str, name: str, path: Path) -> str:
        address, fragment = urldefrag(reference)
        try:
            other = self._document(address, name) if address else name
            pointer = _pointer(self._documents[other], unquote(fragment))
        except LookupError as error:
            message = f"the reference {reference!r} {error.args[0]}"
            self._problems.append(Problem(message, path, name))
            return reference
        start = "#" if other == self._first else f"#/$defs/{_escaped(other)}"
        return start + pointer

    def _document(self, address: str, name: str) -> str:
        """The document that an address means: by `$id` if one has it, else a file beside this."""
        document = self._documents[name]
        own = document.get("$id") if isinstance(document, dict) else None
        absolute = urljoin(own if isinstance(own, str) else "", address)
        if absolute in self._known:
            self._enter(absolute, self._known[absolute])
            return absolute
        if "://" in address or address.startswith(("/", "urn:")):
            raise LookupError("is an address, and none of the manifest's schemas has it as its $id")
        # A file belongs to the folder it lies in, also if a $id says that it came from elsewhere.
        file = normpath(join(dirname(name) if "://" not in name else "", unquote(address)))
        if file.startswith("../") or file == "..":
            raise LookupError("leads out of the manifest's folder")
        if file not in self._documents:
            data = self._read(file)
            if data is None:
                raise LookupError(f"leads to '{file}', which does not exist")
            loaded, fault = load(data)
            if fault:
                raise LookupError(f"leads to '{file}', which {fault}")
            self._enter(file, loaded)
        return file

    def _enter(self, name: str, document: Any) -> None:
        if name not in self._documents:
            self._documents[name] = document
            self._waiting.append(name)


def _pointer(document: Any, fragment: str) -> str:
    """The JSON pointer of a fragment; `LookupError` if it leads nowhere in the document."""
    if fragment and not fragment.startswith("/"):
        anchor = next(_anchors(document, fragment, ""), None)
        if anchor is None:
            raise LookupError(f"leads to the anchor '{fragment}', which is not there")
        return anchor
    value = document
    for step in fragment.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and name.isdigit() and int(name) < len(value):
            value = value[int(name)]
        else:
            raise LookupError(f"leads to '{fragment}', which is not there")
    return fragment


def _anchors(value: Any, name: str, pointer: str) -> Iterator[str]:
    if isinstance(value, dict):
        if name in (value.get("$anchor"), value.get("$dynamicAnchor")):
            yield pointer
        for key, each in value.items():
            if key not in _DATA:
                yield from _anchors(each, name, f"{pointer}/{_escaped(key)}")
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _anchors(each, name, f"{pointer}/{index}")


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1").replace("%", "%25")


def _without(schema: Any, *keys: str) -> Any:
    if not isinstance(schema, dict):
        return schema
    return {key: value for key, value in schema.items() if key not in keys}
