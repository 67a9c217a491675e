"""The parts of a manifest as they are compared: facts by aspect, each with its place."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from forge_cli.manifest.comparison.changes import Key
from forge_cli.manifest.findings import Path, Spot


@dataclass(frozen=True, slots=True)
class Fact:
    """What holds for one aspect of a part, and the path where it is written.

    `holders` are the parts that say it, nearest first, where the part itself does not. A fact that
    is `derived` is not written anywhere: it follows from other facts of the same part.
    """

    value: Any
    path: Path
    holders: tuple[Key, ...] = ()
    derived: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A part: the manifest itself, a role, a contract, an item, a schema, ...

    `contents` is what it comes to, for who reads that it is new or gone; `needed` is an input
    that every run must be given.
    """

    key: Key
    path: Path
    facts: Mapping[str, Fact] = field(default_factory=dict)
    contents: str = ""
    needed: bool = False

    @property
    def name(self) -> str:
        """How messages call it."""
        kind, name = self.key
        return f"{kind} '{name}'" if name else f"the {kind}"

    @property
    def spot(self) -> Spot:
        """Its key, or the first character of the file for the manifest itself."""
        return Spot(self.path, "key")
