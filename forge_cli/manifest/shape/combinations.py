"""Keys that go together, or exclude each other: what the types alone do not say."""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from forge_cli.manifest.findings import Path
from forge_cli.manifest.forms import PROGRAM
from forge_cli.manifest.shape.faults import StructureError

DOERS = ("role", "delegation", "run", "script")
"""The keys that say who does an item; at most one of them."""

_STAND_INS = (*DOERS, "kind", "pattern", "sub_tasks", "argv", "url", "model", "base_url")

CONTRACT = (
    "capabilities",
    "scope",
    "outputs",
    "completion",
    "criteria",
    "evidence",
    "context_package",
    "budget",
    "deadline",
    "on_failure",
    "return_channel",
)
"""What a delegation says, so that an item done under it does not say it again."""


def combination_faults(data: Mapping[str, Any], lost: frozenset[Path]) -> Iterator[StructureError]:
    """Faults between the keys of one mapping.

    Nothing is missing from a mapping that lost a key which could stand for it.
    """
    yield from _blank_programs(data)
    for path, mapping, check in _mappings(data):
        for error in check(path, mapping):
            if error.rule != "missing-key" or not _is_excused(error, lost):
                yield error


def _blank_programs(data: Mapping[str, Any]) -> Iterator[StructureError]:
    """The first words of argument lists that name no program."""
    for path, mapping in _with_programs(data):
        for key in ("run", "argv"):
            words = mapping.get(key, ())
            if words and isinstance(words[0], str) and not words[0].strip():
                place = (*path, key, 0)
                yield StructureError("wrong-form", place, value=words[0], pattern=PROGRAM)


def _with_programs(data: Mapping[str, Any]) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    for name, item in data.get("work_items", {}).items():
        yield ("work_items", name), item
        for sub, task in item.get("sub_tasks", {}).items():
            yield ("work_items", name, "sub_tasks", sub), task
    for name, role in data.get("roles", {}).items():
        handler = role.get("handler", {})
        yield ("roles", name, "handler"), handler
        for key, server in _servers(handler):
            yield ("roles", name, "handler", *key), server


def _servers(handler: Mapping[str, Any]) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """The MCP servers of a handler, and where in it they are."""
    if "server" in handler:
        yield ("server",), handler["server"]
    for name, server in handler.get("servers", {}).items():
        yield ("servers", name), server


def _is_excused(error: StructureError, lost: frozenset[Path]) -> bool:
    keys = {each[-1] for each in lost if each and each[:-1] == error.path}
    return error.path in lost or not keys.isdisjoint({"", error.key, *_STAND_INS})


def _mappings(data: Mapping[str, Any]) -> Iterator[tuple[Path, Mapping[str, Any], Any]]:
    for name, item in data.get("work_items", {}).items():
        yield ("work_items", name), item, _item
        for sub, task in item.get("sub_tasks", {}).items():
            shared = {key: item[key] for key in (*DOERS, "capabilities") if key in item}
            if any(key in task for key in DOERS):
                shared = {key: shared[key] for key in shared if key not in DOERS}
            yield ("work_items", name, "sub_tasks", sub), {**shared, **task}, _work
    for name, role in data.get("roles", {}).items():
        yield ("roles", name, "handler"), role.get("handler", {}), _handler
        for key, server in _servers(role.get("handler", {})):
            yield ("roles", name, "handler", *key), server, _server
    for name, package in data.get("context_packages", {}).items():
        yield ("context_packages", name), package, _package


def _item(path: Path, item: Mapping[str, Any]) -> Iterator[StructureError]:
    missing = [key for key in ("pattern", "sub_tasks") if key not in item]
    if len(missing) == 2:
        yield from _work(path, item)
        return
    for key in missing:
        yield _missing(path, key)
    yield from _exclusive(path, item, DOERS)


def _work(path: Path, item: Mapping[str, Any]) -> Iterator[StructureError]:
    yield from _exclusive(path, item, DOERS)
    if "delegation" in item:
        for key in CONTRACT:
            if key in item:
                yield StructureError("conflicting-keys", (*path, key), "key", key="delegation")
    elif "capabilities" not in item and "role" not in item:
        yield _missing(path, "capabilities")


def _handler(path: Path, handler: Mapping[str, Any]) -> Iterator[StructureError]:
    if handler.get("kind") == "agent":
        if "model" not in handler and "base_url" not in handler:
            yield _missing(path, "model")
        yield from _exclusive(path, handler, ("instructions", "instructions_file"))


def _server(path: Path, server: Mapping[str, Any]) -> Iterator[StructureError]:
    if "argv" not in server and "url" not in server:
        yield _missing(path, "argv")
    yield from _exclusive(path, server, ("argv", "url"))


def _package(path: Path, package: Mapping[str, Any]) -> Iterator[StructureError]:
    if "summary" not in package and "transcript" not in package:
        yield _missing(path, "summary")


def _missing(path: Path, key: str) -> StructureError:
    return StructureError("missing-key", path, "key", key=key)


def _exclusive(
    path: Path, mapping: Mapping[str, Any], keys: tuple[str, ...]
) -> Iterator[StructureError]:
    """A fault at the second of two keys that exclude each other, in the order of the file."""
    written = [key for key in mapping if key in keys]
    for first, second in combinations(written[:2], 2):
        yield StructureError("conflicting-keys", (*path, second), "key", key=first)
