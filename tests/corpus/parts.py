"""The items, roles and contracts of a manifest as plain data, and what is above each of them."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from forge_cli.manifest.findings import Path

DOERS = ("role", "delegation", "run", "script")


class Part(NamedTuple):
    """A role, contract, item or sub-task: its path, what is written in it, and what is above.

    `role` is the name of the role behind it, empty where it names none.
    """

    path: Path
    written: Mapping[str, Any]
    above: Mapping[str, Any]
    role: str = ""

    @property
    def name(self) -> str:
        return str(self.path[-1])


def items(data: Mapping[str, Any]) -> Iterator[Part]:
    """The items and sub-tasks."""
    for name, item in data.get("work_items", {}).items():
        path = ("work_items", name)
        yield Part(path, item, {}, _role(item.get("role", "")))
        for sub, task in item.get("sub_tasks", {}).items():
            own = any(key in task for key in DOERS)
            role = task.get("role", "" if own else item.get("role", ""))
            yield Part((*path, "sub_tasks", sub), task, item, _role(role))


def roles(data: Mapping[str, Any]) -> Iterator[Part]:
    """The manifest's own roles."""
    for name, role in data.get("roles", {}).items():
        yield Part(("roles", name), role, {}, name)


def contracts(data: Mapping[str, Any]) -> Iterator[Part]:
    """The delegations, each with its delegator above."""
    for name, contract in data.get("delegations", {}).items():
        above = data.get("roles", {}).get(_role(contract["delegator"]), {})
        yield Part(("delegations", name), contract, above, _role(contract["delegate"]))


def _role(text: str) -> str:
    """The role's name in `agent:name@version`."""
    return text.removeprefix("agent:").partition("@")[0]


def related(data: Mapping[str, Any], path: Path) -> set[Path]:
    """What a part has from others, and what others have from it."""
    pairs = list(_pairs(data))
    return {a for a, b in pairs if b == path} | {b for a, b in pairs if a == path}


def _pairs(data: Mapping[str, Any]) -> Iterator[tuple[Path, Path]]:
    """Every part with one that it names or stands in."""
    behind = {part.name: part.role for part in items(data)}
    for part in items(data):
        yield part.path, part.path[:2]
        yield part.path, ("roles", part.role)
        yield part.path, ("delegations", part.written.get("delegation", ""))
        for name in re.findall(r"[a-z][a-z0-9_-]*", str(part.written)):
            yield part.path, ("work_items", name)
            yield part.path, ("roles", behind.get(name, ""))
        if not any(key in part.written for key in DOERS):
            # It is routed, and any role could be who does it.
            yield from ((part.path, role.path) for role in roles(data))
    for part in contracts(data):
        yield part.path, ("roles", part.role)
        yield part.path, ("roles", _role(part.written["delegator"]))
    for part in roles(data):
        for name in part.written.get("delegates", {}).get("to", ()):
            yield part.path, ("roles", _role(name))
    for key, written in data.get("state", {}).items():
        yield ("state", key), ("roles", _role(written["owner"]))
