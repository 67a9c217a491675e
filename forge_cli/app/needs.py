"""What a plan needs on this machine: programs, secrets, git; and whether it is there."""

import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from forge_cli.multiagent.plan import Plan, Role


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that is needed: its name, how it is found to be, and whether that will do."""

    name: str
    state: str
    ok: bool


def needs(plan: Plan, workspace: Path, environment: Mapping[str, str]) -> list[Need]:
    """All that the plan's handlers need, in a fixed order; programs run in the workspace.

    A program whose name comes from an input or an output is known only when the item starts, so
    it is not listed. git is optional: it only says where the workspace ends.
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
    for role in plan.roles.values():
        if role.handler.kind == "command":
            yield from _first_token(role)


def _first_token(role: Role) -> Iterator[str]:
    argv = role.handler.config.get("argv") or [""]
    if isinstance(argv[0], str) and argv[0] and "${" not in argv[0]:
        yield argv[0]


def _program(name: str, workspace: Path, path: str) -> Need:
    found = shutil.which(workspace / name if "/" in name else name, path=path)
    return Need(name, "found" if found else "missing", bool(found))
