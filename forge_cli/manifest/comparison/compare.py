"""Two manifests to the changes between them: each at the part that causes it, once."""

from collections.abc import Mapping
from itertools import chain
from typing import Any, Literal

from forge_cli.manifest.comparison.aspects import JUDGES
from forge_cli.manifest.comparison.changes import WEIGHTS, Change, Key, Verdict, Weight
from forge_cli.manifest.comparison.of_items import item_parts
from forge_cli.manifest.comparison.of_roles import contract_parts, role_parts
from forge_cli.manifest.comparison.of_run import run_parts
from forge_cli.manifest.comparison.parts import Fact, Part
from forge_cli.manifest.comparison.sides import Side
from forge_cli.manifest.findings import Path, Spot
from forge_cli.manifest.meaning.scopes import begin

_LOST = frozenset({"item", "state key", "input"})
"""Parts on which somebody counts: an item's outputs, a shared value, an input that is given."""


def compare(old: Side, new: Side) -> list[Change]:
    """What the new manifest means otherwise than the old one; nothing where both mean the same.

    The spots of the changes are paths, without their places.
    """
    begin()
    before, after = _parts(old), _parts(new)
    comparison = _Comparison(old.data, new.data)
    for key, part in after.items():
        if key in before:
            comparison.hold(before[key], part)
        else:
            comparison.found[key, ""] = _added(part)
    for key, part in before.items():
        if key not in after:
            comparison.found[key, ""] = _removed(part)
    return _once(comparison.found)


def _parts(side: Side) -> dict[Key, Part]:
    """The parts of a manifest; whoever says something for others comes before them."""
    parts = chain(run_parts(side), role_parts(side), contract_parts(side), item_parts(side))
    return {part.key: part for part in parts}


def _added(part: Part) -> Change:
    weight: Weight = "breaking" if part.needed else "compatible"
    told = "a run that does not give it is refused" if part.needed else ""
    verdict = Verdict(weight, "added", new=part.contents, witness=told)
    return Change(verdict, part.key, part.name, "", None, part.spot)


def _removed(part: Part) -> Change:
    weight: Weight = "breaking" if part.key[0] in _LOST else "compatible"
    verdict = Verdict(weight, "removed", part.contents)
    return Change(verdict, part.key, part.name, "", part.spot, None, "old")


class _Comparison:
    """The changes found so far, by part and aspect."""

    def __init__(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
        self.found: dict[tuple[Key, str], Change] = {}
        self._old = old
        self._new = new

    def hold(self, old: Part, new: Part) -> None:
        """Add what differs between a part and what it was."""
        changes = [
            change
            for aspect, fact in new.facts.items()
            if aspect in old.facts
            and (change := self._change(old.facts[aspect], fact, new, aspect)) is not None
        ]
        causes = [change for change in changes if not change.verdict.follows]
        self.found |= {(new.key, change.aspect): change for change in causes or changes}

    def _change(self, old: Fact, new: Fact, part: Part, aspect: str) -> Change | None:
        if old.derived and new.derived:
            return None
        verdict = JUDGES[aspect](old.value, new.value)
        if verdict is None or self._is_told(old, new, aspect, verdict):
            return None
        here, there = _is_written(self._new, new.path), _is_written(self._old, old.path)
        spots = Spot(old.path, "key"), Spot(new.path, "key")
        gone = there and (not here or len(new.path) < len(old.path))
        side: Literal["old", "new"] = "old" if gone else "new"
        return Change(verdict, part.key, part.name, aspect, *spots, side)

    def _is_told(self, old: Fact, new: Fact, aspect: str, verdict: Verdict) -> bool:
        """Whether those who say it for this part have changed it, no less gravely."""
        if not old.holders or not new.holders:
            return False
        told = (self.found.get((holder, aspect)) for holder in (*old.holders, *new.holders))
        weights = [change.verdict.weight for change in told if change is not None]
        return any(WEIGHTS.index(w) <= WEIGHTS.index(verdict.weight) for w in weights)


def _is_written(data: Any, path: Path) -> bool:
    for step in path:
        if not isinstance(data, dict) or step not in data:
            return False
        data = data[step]
    return True


def _once(found: Mapping[tuple[Key, str], Change]) -> list[Change]:
    """Without what several parts have from the same line."""
    told: dict[Any, Change] = {}
    for change in found.values():
        told.setdefault((change.verdict, change.aspect, change.old, change.new), change)
    return list(told.values())
