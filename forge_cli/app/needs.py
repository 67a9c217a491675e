"""What a plan needs on this machine: programs, secrets, git; and whether it is there."""

import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from forge_cli.handlers.server_settings import servers
from forge_cli.multiagent.plan import Json, Plan

MISSING = "missing"
NOT_EXECUTABLE = "not executable"


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that is needed: its name, how it is found to be, and whether that will do."""

    name: str
    state: str
    ok: bool


def needs(plan: Plan, workspace: Path, environment: Mapping[str, str]) -> list[Need]:
    """All that the plan's handlers need, in a fixed order.

    A program with a path is looked for where it will be started, in the workspace. One whose name
    comes from an input or an output is known only when the item starts, so it is not listed. git
    is optional: it only says where the workspace ends.
    """
    found = [_secret(name, environment) for name in plan.secrets]
    path = environment.get("PATH", os.defpath)
    found += [_program(name, workspace, path) for name in sorted(set(_programs(plan)))]
    git = shutil.which("git", path=path) is not None
    found.append(Need("git", "found" if git else "not found, not needed", True))
    return found


def _secret(name: str, environment: Mapping[str, str]) -> Need:
    value = environment.get(name)
    return Need(name, "set" if value else "empty" if value == "" else "not set", bool(value))


def _programs(plan: Plan) -> Iterator[str]:
    handlers = [role.handler for role in plan.roles.values()]
    handlers += [item.compensate for item in plan.items.values() if item.compensate is not None]
    for handler in handlers:
        if handler.kind == "command":
            yield from _first_token(handler.config)
        for each in servers(handler.config).values():
            yield from _first_token(each["server"])


def _first_token(config: Mapping[str, Json]) -> Iterator[str]:
    argv = config.get("argv") or [""]
    if isinstance(argv[0], str) and argv[0] and "${" not in argv[0]:
        yield argv[0]


def _program(name: str, workspace: Path, path: str) -> Need:
    if "/" not in name:
        found = shutil.which(name, path=path) is not None
        return Need(name, "found" if found else MISSING, found)
    file = workspace / name
    if not file.is_file():
        return Need(name, MISSING, False)
    usable = os.access(file, os.X_OK)
    return Need(name, "found" if usable else NOT_EXECUTABLE, usable)
