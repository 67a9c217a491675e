"""Shared state: values under one version, and the rules by which two writes to a key meet."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from forge_cli.multiagent.plan import Json, Merge
from forge_cli.multiagent.values import copied


@dataclass(frozen=True, slots=True)
class StateSnapshot:
    """The values as they were at a version, a copy of its own."""

    version: int
    values: Mapping[str, Json]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", copied(self.values))


class SharedState:
    """Values that are changed only by those who have seen the latest version, which starts at 0."""

    __slots__ = ("_current",)

    def __init__(self, values: Mapping[str, Json] | None = None) -> None:
        self._current: tuple[int, dict[str, Json]] = (0, copied(values or {}))

    def read(self) -> StateSnapshot:
        """The latest version with a deep copy of its values."""
        return StateSnapshot(*self._current)

    def update(self, expected_version: int, changes: Mapping[str, Json]) -> StateSnapshot:
        """Make all the changes as one new version, if the expected one is still the latest.

        `RuntimeError` that names both versions otherwise; then nothing has changed.
        """
        landing = copied(changes)
        current = self._current
        version, values = current
        following = (version + 1, {**values, **landing})
        # Nothing can come between this look at the latest version and the exchange.
        if expected_version != version or self._current is not current:
            raise RuntimeError(
                f"conflict: the update expects version {expected_version}, but the state is at"
                f" version {self._current[0]}; read it again and decide anew"
            )
        self._current = following
        return StateSnapshot(*following)


def merge(kind: Merge, current: Json, value: Json) -> Json:
    """What a key holds after a write: `current` is what it held, None if nothing was written yet.

    `reject` lets the value replace it (whether that is a conflict is for the run to say), `append`
    joins lists, `union` joins lists as sets of JSON values in the order of their first appearance.
    `ValueError` that names both types if `append` or `union` meet anything but lists.
    """
    if kind == "reject":
        return value
    held = [] if current is None else current
    if not isinstance(held, list) or not isinstance(value, list):
        raise ValueError(
            f"{kind!r} joins lists, not {_type_name(current)} and {_type_name(value)};"
            " write the value as a list"
        )
    joined = [*held, *value]
    if kind == "append":
        return joined
    first: dict[Hashable, Json] = {}
    for element in joined:
        first.setdefault(_identity(element), element)
    return list(first.values())


def _identity(value: Json) -> Hashable:
    """Equal for equal JSON values only: 1 is 1.0, but neither is true."""
    if isinstance(value, dict):
        return frozenset((key, _identity(element)) for key, element in value.items())
    if isinstance(value, list):
        return tuple(_identity(element) for element in value)
    return (bool, value) if isinstance(value, bool) else value


def _type_name(value: Json) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")
