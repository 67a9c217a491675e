"""A kernel with Landlock of some version, which holds nobody to anything and notes what it is told.

The calls are those of landlock(7), prctl(2) and capset(2).
"""

import os
from pathlib import Path
from typing import Any

from forge_cli.gateway.sandbox.landlock import (
    ADD_RULE,
    CREATE_RULESET,
    PR_CAPBSET_DROP,
    RESTRICT_SELF,
)

CAPABILITIES = 41


class Kernel:
    """`rules` are paths and what is allowed of them; `handled` is what is forbidden otherwise."""

    def __init__(self, version: int, refuses: int = 0) -> None:
        self.version = version
        self.refuses = refuses
        self.handled: tuple[int, int, int] | None = None
        self.rules: dict[str, int] = {}
        self.held = False
        self.capabilities = CAPABILITIES

    def syscall(self, number: int, *arguments: Any) -> int:
        """landlock_create_ruleset, landlock_add_rule, landlock_restrict_self."""
        if number == self.refuses:
            return -1
        if number == CREATE_RULESET and arguments[0] is None:
            return self.version or -1
        if number == CREATE_RULESET:
            own = arguments[0]._obj
            self.handled = own.files, own.network, own.scoped
            return os.open(os.devnull, os.O_RDONLY)
        if number == ADD_RULE:
            rule = arguments[2]._obj
            self.rules[str(Path(f"/proc/self/fd/{rule.folder}").readlink())] = rule.allowed
        self.held |= number == RESTRICT_SELF
        return 0

    def prctl(self, option: int, number: int, *rest: int) -> int:
        """Only the bound on capabilities is lowered by it."""
        if option != PR_CAPBSET_DROP:
            return 0
        self.capabilities -= number < CAPABILITIES
        return 0 if number < CAPABILITIES else -1

    def capset(self, header: Any, sets: Any) -> int:
        """Fails where it was asked to."""
        return -1 if self.refuses == PR_CAPBSET_DROP else 0
