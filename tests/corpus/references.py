"""Names and files that lead nowhere, wherever one is looked up, and versions that are not there."""

import re
from collections.abc import Iterator
from typing import Any

from forge_cli.manifest.findings import Path
from tests.corpus.mutations import MARK, Mutation, Text
from tests.corpus.parts import contracts, items, roles

UNKNOWN = "unknown-reference"
_PREFIX = r"(?:agent|context|schema):"
_READ = r"\b(inputs|items|env)\.([A-Za-z][\w-]*(?:\.(?!outputs\b|status\b)[a-z][\w-]*)*)"
_OUTPUT = r"\bitems\.[a-z][\w.-]*?\.outputs\.([a-z][\w-]*)"


def dangling(text: Text, data: Any) -> Iterator[Mutation]:
    """Every reference to a role, an item, a contract, a schema, a package, ... misspelt."""
    for path, what in _named(data):
        name = re.sub(f"^{_PREFIX}", "", text.data_at(path)).partition("@")[0]
        if text.data_at(path).startswith("agent:") or not _is_file(text, path):
            edit = text.inside(path, name, f"{MARK}{name}zz")
            yield Mutation(f"dangling {what}", UNKNOWN, (edit,))


def _is_file(text: Text, path: Path) -> bool:
    return path[-1] == "completion" and not text.data_at(path).startswith("schema:")


def _named(data: Any) -> Iterator[tuple[Path, str]]:
    """The path of every text that names something, with the kind of it."""
    for part in (*items(data), *contracts(data), *roles(data)):
        for key in ("role", "delegation", "completion", "context_package", "delegator", "delegate"):
            if key in part.written:
                yield (*part.path, key), f"{key} of {part.path[0]}"
    for part in items(data):
        for key in ("depends_on", "after"):
            for index, _ in enumerate(part.written.get(key, ())):
                yield (*part.path, key, index), key
        for index, _ in enumerate(part.written.get("review", {}).get("of", ())):
            yield (*part.path, "review", "of", index), "review"
    for part in roles(data):
        for index, _ in enumerate(part.written.get("delegates", {}).get("to", ())):
            yield (*part.path, "delegates", "to", index), "delegates"
    for key in data.get("state", {}):
        yield ("state", key, "owner"), "owner"


def added(text: Text, data: Any) -> Iterator[Mutation]:
    """Every list of names with a further one that leads nowhere."""
    for path, what, rule in _lists(data):
        name = "NO_SUCH_THING" if path[-1] == "secrets" else "no-such-thing"
        edit = text.into(path, f"{MARK}{name}")
        yield Mutation(f"unknown {what}", rule, (edit,))


def _lists(data: Any) -> Iterator[tuple[Path, str, str]]:
    """The path of every list of names, with the kind of them and the rule for an unknown one."""
    for part in items(data):
        rule = "capability-exceeds-role" if part.role else UNKNOWN
        if "capabilities" in part.written and "delegation" not in part.written:
            yield (*part.path, "capabilities"), f"capability, {rule}", rule
        for key in ("secrets", "posts", "listens", "evidence", "depends_on", "after"):
            tags = key == "listens" and _pattern(data, part.path) == "joint"
            if key in part.written and not tags:  # of tags there is no list
                yield (*part.path, key), f"{key} of an item", UNKNOWN
    for part in contracts(data):
        yield (*part.path, "authority"), "authority", "capability-exceeds-role"
        if "evidence" in part.written:
            yield (*part.path, "evidence"), "evidence of a contract", UNKNOWN
    for part in roles(data):
        yield (*part.path, "capabilities"), "capability of a role", UNKNOWN
        if "capabilities" in part.written.get("delegates", {}):
            path = (*part.path, "delegates", "capabilities")
            yield path, "delegated capability", "capability-exceeds-role"
        if "secrets" in part.written["handler"]:
            yield (*part.path, "handler", "secrets"), "secret of a handler", UNKNOWN
        if "secrets" in part.written["handler"].get("server", {}):
            yield (*part.path, "handler", "server", "secrets"), "secret of a server", UNKNOWN
    for word in data.get("capabilities", {}):
        yield ("capabilities", word), "action", UNKNOWN


def _pattern(data: Any, path: Path) -> str:
    """The pattern of the item of the manifest that a part is, or is a sub-task of."""
    found: str = data["work_items"][path[1]].get("pattern", "") if len(path) > 1 else ""
    return found


def read(text: Text, data: Any) -> Iterator[Mutation]:
    """Every `${...}` and every condition that reads what is not there."""
    for path, value in _texts(data):
        for found in re.finditer(_READ, value):
            root, name = found.groups()
            edit = text.inside(path, f"{root}.{name}", f"{root}.{MARK}{name}zz")
            yield Mutation(f"no {root} for {_key(path)}", UNKNOWN, (edit,))
        for found in re.finditer(_OUTPUT, value):
            edit = text.inside(path, found[0], f"{found[0][: -len(found[1])]}{MARK}{found[1]}zz")
            yield Mutation(f"no output for {_key(path)}", UNKNOWN, (edit,))


def _texts(data: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Every text in which something is read: with `${...}`, or a condition."""
    if isinstance(data, str):
        if "${" in data.replace("$${", "") or path[-1:] == ("when",):
            yield path, data
    elif isinstance(data, dict):
        for key, value in data.items():
            if key != "script":
                yield from _texts(value, (*path, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from _texts(value, (*path, index))


def _key(path: Path) -> str:
    """The key of an item or role under which the text stands."""
    return str(path[2] if len(path) > 2 else path[0])


def versions(text: Text, data: Any) -> Iterator[Mutation]:
    """Every version of a role or schema that is asked for, one higher."""
    for path, what in _named(data):
        found = re.search("@([0-9]+)$", text.data_at(path))
        if found:
            edit = text.inside(path, found[0], f"{MARK}@{int(found[1]) + 1}")
            yield Mutation(f"other version, {what}", "version-mismatch", (edit,))


def files(text: Text, data: Any) -> Iterator[Mutation]:
    """Every file that is named, misspelt; every function of one, too."""
    for part in (*items(data), *roles(data)):
        written, path = part.written, part.path
        if "completion" in written and _is_file(text, (*path, "completion")):
            yield _no_file(text, (*path, "completion"), written["completion"])
        handler = written.get("handler", {})
        if "instructions_file" in handler:
            yield _no_file(
                text, (*path, "handler", "instructions_file"), handler["instructions_file"]
            )
        if "call" in handler:
            file, _, name = handler["call"].partition(":")
            yield _no_file(text, (*path, "handler", "call"), file)
            edit = text.inside((*path, "handler", "call"), f":{name}", f":{MARK}{name}zz")
            yield Mutation("no function", "missing-function", (edit,))
    for name, schema in data.get("schemas", {}).items():
        if isinstance(schema, str):
            yield _no_file(text, ("schemas", name), schema)


def _no_file(text: Text, path: Path, name: str) -> Mutation:
    edit = text.inside(path, name, f"{MARK}no-such-{name}")
    return Mutation(f"no file for {path[-1]}", "missing-file", (edit,))
