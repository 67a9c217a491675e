"""The schemas of one manifest: those it lists by id, and the files that completions name."""

import re
import warnings
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from forge_cli.manifest.findings import Path
from forge_cli.manifest.meaning.assembly import section
from forge_cli.manifest.meaning.schemas import (
    ANYTHING,
    DATA,
    DIALECT,
    Bundle,
    Known,
    Problem,
    Readable,
    bundle,
    load,
)
from forge_cli.manifest.meaning.topology import Topology
from forge_cli.manifest.naming import brief

MOST_PARTS = 6_000
"""Mappings in one schema; to hold so many against the metaschema takes a second or two."""

_FORM = "a schema is a mapping, or true or false"


class Named(NamedTuple):
    """A schema by its key in the plan (`id@version` or a file), its file if it has one, and where
    the manifest first names it."""

    key: str
    file: str
    path: Path


class Library:
    """Finds, reads and bundles the schemas of a manifest; each file is read once."""

    def __init__(self, topology: Topology, files: Readable) -> None:
        self._topology = topology
        self._listed = section(topology.data, "schemas")
        self._files = files
        self._loaded: dict[str, tuple[Any, str]] = {}

    def named(self) -> Iterator[Named]:
        """Every schema once: the listed ones, then files that only completions name."""
        seen: set[str] = set()
        for key, written in self._listed.items():
            file = written if isinstance(written, str) else ""
            seen.add(file)
            yield Named(key, file, ("schemas", key))
        for path, written in self._topology.terms("completion"):
            text = written["completion"]
            if not text.startswith("schema:") and text not in seen:
                seen.add(text)
                yield Named(text, text, path)

    def document(self, name: Named) -> tuple[Any, str]:
        """The schema as it is written and no fault, or None and what is wrong with its file.

        None and no fault is a file that is not there: that is told as such.
        """
        if not name.file:
            return self._listed[name.key], ""
        if name.file not in self._loaded:
            data = self._files.read(name.file)
            self._loaded[name.file] = (None, "") if data is None else _schema(data)
        return self._loaded[name.file]

    def bundle(self, name: Named) -> Bundle:
        """The schema with all that it refers to."""
        document, _ = self.document(name)
        origin = self._topology.origins.get(name.path[:2])
        folder = origin.folder if origin else ""
        return bundle(document, name.file, self._files, self._known, folder)

    @cached_property
    def _known(self) -> Known:
        found: dict[str, Any] = {}
        for key, written in self._listed.items():
            document, _ = self.document(Named(key, written if isinstance(written, str) else "", ()))
            if isinstance(document, dict) and isinstance(document.get("$id"), str):
                found[document["$id"]] = document
        return Known.of(found)


def _schema(data: bytes) -> tuple[Any, str]:
    document, fault = load(data)
    return document, fault or (_FORM if document is None else "")


def validity(document: Any, file: str) -> Iterator[Problem]:
    """What is wrong with a schema by the metaschema of 2020-12."""
    from jsonschema import Draft202012Validator, FormatChecker
    from jsonschema.exceptions import best_match

    if not isinstance(document, dict | bool):
        yield Problem(_FORM, (), file, f"write a JSON Schema, such as  {ANYTHING}")
        return
    dialect = document.get("$schema", DIALECT) if isinstance(document, dict) else DIALECT
    if not isinstance(dialect, str) or dialect.rstrip("#") != DIALECT:
        yield Problem(
            f"{dialect!r} is another language than JSON Schema 2020-12",
            ("$schema",),
            file,
            f"write  $schema: {DIALECT}  or leave it out",
        )
        return
    if _parts(document) > MOST_PARTS:
        message = f"has more than {MOST_PARTS:,} mappings, which is too much to check"
        yield Problem(message, (), file, "demand only what the result is used for")
        return
    stray = next(_strays(document, ()), None)
    if stray is not None:
        yield Problem(f"{brief(repr(stray[1]))} is not of type 'string'", stray[0], file)
        return
    checker = FormatChecker(())
    checker.checks("regex", raises=ValueError)(_compiles)
    validator: Any = Draft202012Validator(Draft202012Validator.META_SCHEMA, format_checker=checker)
    error = best_match(validator.iter_errors(document))
    if error is not None:
        path = tuple(error.absolute_path)
        hint = "types: array, boolean, integer, null, number, object, string"
        yield Problem(brief(error.message), path, file, hint if path[-1:] == ("type",) else "")


def _parts(value: Any) -> int:
    """How many mappings the value has in it; it is one itself, if it is."""
    if isinstance(value, dict):
        return 1 + sum(map(_parts, value.values()))
    return sum(map(_parts, value)) if isinstance(value, list) else 0


_TEXTS = ("required", "type")


def _strays(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """What stands among names and is no text.

    Told before the metaschema is asked, which demands that names differ: to compare what cannot be
    sorted takes time squared.
    """
    if isinstance(value, list):
        for index, each in enumerate(value):
            yield from _strays(each, (*path, index))
    elif isinstance(value, dict):
        for key, each in value.items():
            if key in _TEXTS:
                yield from _no_texts(each, (*path, key))
            elif key == "dependentRequired" and isinstance(each, dict):
                for name, names in each.items():
                    yield from _no_texts(names, (*path, key, name))
            if key not in DATA:
                yield from _strays(each, (*path, key))


def _no_texts(names: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    if isinstance(names, list):
        yield from (((*path, i), n) for i, n in enumerate(names) if not isinstance(n, str))


def _compiles(pattern: object) -> bool:
    """Whether a pattern is one for the `re` that values will be held against; else `ValueError`."""
    if not isinstance(pattern, str):
        return True
    with warnings.catch_warnings():
        # What a later Python might read otherwise, this one reads.
        warnings.simplefilter("ignore")
        try:
            re.compile(pattern)
        except (re.error, OverflowError, RecursionError) as error:
            raise ValueError(str(error)) from None
    return True
