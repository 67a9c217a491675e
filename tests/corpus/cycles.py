"""Items that wait for themselves, and roles that delegate to themselves, alone or in a ring."""

import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any

from forge_cli.manifest.findings import Path
from tests.corpus.mutations import MARK, Edit, Mutation, Text
from tests.corpus.parts import Part, items, roles


def of_items(text: Text, data: Any) -> Iterator[Mutation]:
    """Every item behind itself, and every first of two ordered items behind the second."""
    for part in items(data):
        edit = _entry(text, (*part.path,), part.written, "depends_on", MARK + part.name)
        yield Mutation("waits for itself", "dependency-cycle", (edit,))
    top = [part for part in items(data) if len(part.path) == 2]
    for first, second in combinations(top, 2):
        if _waits(second, first.name):
            edit = _entry(text, first.path, first.written, "depends_on", MARK + second.name)
            yield Mutation("wait for each other", "dependency-cycle", (edit,))


def of_children(text: Text, data: Any) -> Iterator[Mutation]:
    """Every sub-task behind the item that it is a part of."""
    for part in items(data):
        if len(part.path) > 2:
            edit = _entry(text, part.path, part.written, "depends_on", MARK + str(part.path[1]))
            yield Mutation("waits for what it is in", "dependency-cycle", (edit,))


def of_roles(text: Text, data: Any) -> Iterator[Mutation]:
    """Every role that delegates to itself, or to one that delegates to it."""
    for part in roles(data):
        if "delegates" in part.written:
            edit = text.into((*part.path, "delegates", "to"), MARK + part.name)
            yield Mutation("delegates to itself", "self-delegation", (edit,))
    for first, second in combinations(roles(data), 2):
        to = first.written.get("delegates", {}).get("to", [])
        if to == [second.name]:
            there = text.at((*first.path, "delegates", "to", 0))
            back = (
                text.into((*second.path, "delegates", "to"), first.name)
                if "delegates" in second.written
                else text.into(second.path, f"delegates: {{to: [{first.name}]}}")
            )
            yield Mutation("delegate to each other", "delegation-cycle", (there, back))


def _waits(part: Part, name: str) -> bool:
    """Whether the item waits for another: by name, or because it refers to it."""
    listed = (*part.written.get("depends_on", ()), *part.written.get("after", ()))
    return name in listed or re.search(rf"items\.{name}\.", str(part.written)) is not None


def _entry(text: Text, path: Path, written: Any, key: str, entry: str) -> Edit:
    """A further entry of a list that may not be there."""
    if key in written:
        return text.into((*path, key), entry)
    return text.into(path, f"{key}: [{entry}]")
