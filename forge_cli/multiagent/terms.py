"""The words of a contract that are known before there is a plan: values, risks, merges, failures.

They are apart from the plan because checks of manifests and worker processes start without one.
"""

from collections.abc import Mapping
from typing import Any, Literal

LONGEST_EXPRESSION = 4_096
"""Characters of an expression; a longer one is made by a program, and to parse it costs memory."""

Json = Any
"""A JSON value: None, bool, int, float, str, list or dict of these. Never changed in place."""

Pattern = Literal["turn", "each", "parallel", "joint", "broadcast", "resolve"]
"""How an item is done: by turns of a handler, or by its children in one of these ways."""

Risk = Literal["read_only", "reversible", "irreversible"]
HARMLESS_WORDS = frozenset({"read", "repository-read", "test-run"})
"""Capabilities that are taken to change nothing, whatever the programs of the last one may do."""


_FILES_READ = frozenset({"file-read"})
_FILES_WRITTEN = frozenset({"file-read", "file-write"})
_PROCESS = frozenset({"process"})

BUILT_IN: Mapping[str, frozenset[str]] = {
    "read": _FILES_READ,
    "repository-read": _FILES_READ,
    "write": _FILES_WRITTEN,
    "repository-write": _FILES_WRITTEN,
    "execute": _PROCESS,
    "process": _PROCESS,
    "test-run": _PROCESS,
    "network": frozenset({"network"}),
}
"""The capabilities that every manifest has, and the actions that each allows."""

Merge = Literal["reject", "append", "union"]
Then = Literal[
    "fail", "continue", "return-partial", "escalate", "return-partial-and-escalate", "compensate"
]
FailureKind = Literal[
    "error", "timeout", "deadline", "invalid-output", "budget", "conflict", "cancelled"
]
"""Why an attempt or an item did not succeed; `retry.on` names the first two and the fourth."""
