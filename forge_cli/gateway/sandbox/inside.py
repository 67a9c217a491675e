"""What the process that starts a sandbox's programs does first, when it is inside.

Its rules are a JSON object in a memory file: `places` that must be what forge had looked at,
`limits` by the names of getrlimit(2), and for Landlock `allowed`: pairs of path and access, those
from the `workspace` first. All that it starts later is held to the same.
"""

import json
import os
import resource
from typing import Any

from forge_cli.gateway.beneath import FOLDER
from forge_cli.gateway.sandbox.landlock import Ruleset
from forge_cli.gateway.tree import LIBC

PR_SET_DUMPABLE = 4


class ReplacedError(Exception):
    """Something was put in the place of what was looked at."""


def enter(descriptor: int) -> None:
    """Apply the rules. What raises ends the process, and is told by its last words."""
    with open(descriptor, "rb") as file:
        file.seek(0)
        rules: dict[str, Any] = json.load(file)
    # Nobody who is started here reads this process or speaks for it: proc(5), ptrace(2).
    LIBC.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    for path, device, inode in rules["places"]:
        status = os.lstat(path)
        if (status.st_dev, status.st_ino) != (device, inode):
            raise ReplacedError(f"{path!r} was replaced while its sandbox was made")
    for name, most in rules["limits"].items():
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        lower = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (lower, lower))
    if "allowed" in rules:
        restrict(rules["workspace"], rules["inner"], rules["allowed"], rules["network"])


def restrict(workspace: str, inner: list[Any], allowed: list[Any], network: bool) -> None:
    """Let this process reach the `inner` paths of the workspace, and the `allowed` ones."""
    ruleset = Ruleset(network)
    home = os.open(workspace, FOLDER)
    for path, access in inner:
        ruleset.allow(path, access, home)
    os.close(home)
    for path, access in allowed:
        ruleset.allow(path, access)
    ruleset.enter()
