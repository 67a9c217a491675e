"""The parts of a manifest with their meaning: roles, contracts and items as they will act."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from forge_cli.manifest.findings import Path
from forge_cli.multiagent.terms import Risk

Written = Mapping[str, Any]
"""A part of the manifest as it is written: plain data in which any key may be missing."""

Way = Literal["role", "delegation", "inline", "routed", "group"]
"""How an item says who does it: by name, by contract, by itself, not at all, or by sub-tasks."""


class Agent(NamedTuple):
    """A role, or what stands for one in an item that is a `run` or a `script`.

    `scope` is the run's where the role does not narrow it; `delegates_to` is empty for a role
    that delegates nothing, `depth` then 0.
    """

    role_id: str
    path: Path
    written: Written
    version: int
    capabilities: frozenset[str]
    outputs: tuple[str, ...]
    scope: tuple[str, ...]
    delegates_to: tuple[str, ...] = ()
    delegated: frozenset[str] = frozenset()
    depth: int = 0


class Delegated(NamedTuple):
    """A collaboration contract; `delegator` and `delegate` are None where no role is named."""

    delegation_id: str
    path: Path
    written: Written
    delegator: Agent | None
    delegate: Agent | None
    capabilities: frozenset[str]
    scope: tuple[str, ...]
    outputs: tuple[str, ...]


class Node(NamedTuple):
    """An item or sub-task with what it inherits, who does it, and what that allows.

    `written` is the item with the keys that it inherits, `own` without. `agent` is None where
    nobody can be named; what it grants is then what the item itself asks for.
    """

    item_id: str
    path: Path
    written: Written
    own: Written
    way: Way
    parent: "Node | None" = None
    agent: Agent | None = None
    contract: Delegated | None = None
    capabilities: frozenset[str] = frozenset()
    actions: frozenset[str] = frozenset()
    scope: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    risk: Risk = "read_only"
    children: tuple[str, ...] = ()
    route: str = "named"

    def place(self, key: str) -> Path:
        """Where the key is written: at the item, the one it inherits from, or in the contract."""
        node: Node | None = self
        while node is not None:
            if key in node.own:
                return (*node.path, key)
            node = node.parent
        if self.contract is not None:
            return (*self.contract.path, "authority" if key == "capabilities" else key)
        return self.path

    def terms(self) -> Written:
        """What the item is held to: the keys of its contract, or else its own."""
        return self.written if self.contract is None else self.contract.written
