"""Structural faults as facts; the rules put them into words."""

import re
from typing import Any, Literal, NamedTuple

from forge_cli.manifest.findings import Path
from forge_cli.manifest.foreign import ABSENT, WORDS
from forge_cli.manifest.forms import ID
from forge_cli.manifest.naming import entity_of
from forge_cli.manifest.shape.language import owners
from forge_cli.manifest.suggest import Suggestion, nearest, suggest

_LOOKS_LIKE_NUMBER = (
    r"(?i)[-+]?(0[0-9]+|0[xob][0-9a-f]+|[0-9]+(_[0-9]+)+|[0-9.]+e[-+]?[0-9]+|[.](inf|nan))"
)
_LOOKS_LIKE_BOOLEAN = frozenset({"yes", "no", "on", "off", "y", "n", "true", "false"})


class StructureError(NamedTuple):
    """One place where the data has not the shape of a manifest.

    `path` leads to the value, or to the key where `part` says so; for a key that is missing to
    the mapping that lacks it, with the name in `key`. `known` are the words that could stand
    there and `present` those of them that do, `wanted` the shapes that the language takes,
    `limit` the bound that `value` breaks, `pattern` the form that it has not. `reason` is what is
    wrong in the words of a plug-in, whose distribution is in `key`. `repeated` says that the
    mapping around an unknown key has one twice, `mappings` are the known keys that take one.
    """

    rule: str
    path: Path
    part: Literal["key", "value"] = "value"
    value: Any = None
    key: str = ""
    known: tuple[str, ...] = ()
    present: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()
    limit: str = ""
    pattern: str = ""
    reason: str = ""
    repeated: bool = False
    mappings: tuple[str, ...] = ()

    @property
    def suggestion(self) -> Suggestion | None:
        """What was probably meant by an unknown word.

        A key that other places or other tools have is not taken for one that only looks like it.
        """
        if self.rule != "unknown-key":
            return suggest(str(self.value), self.known)
        word = str(self.path[-1])
        if word in ABSENT or self.misplaced:
            return None
        return suggest(word, self.known, only_slips=word in owners() or word in WORDS)

    @property
    def misplaced(self) -> bool:
        """Whether an unknown key begins a mapping like the one it is in, one level too deep.

        Of one without a value, the keys that belong to it were read as those of the other.
        """
        above = self.path[:-1]
        if self.rule != "unknown-key" or not above or entity_of(self.path) != above:
            return False
        if nearest(str(self.path[-1]), self.mappings):
            return False
        if self.value is None:
            return self.repeated
        return isinstance(self.value, dict) and set() < self.value.keys() <= set(self.known)

    @property
    def meant(self) -> str | None:
        """The key that was probably meant by an unknown one."""
        suggestion = self.suggestion if self.rule == "unknown-key" else None
        return suggestion.word if suggestion else None

    @property
    def replaced(self) -> str | None:
        """The key that is missing because an unknown one was written in its place."""
        return self.meant if self.meant not in self.present else None


def mistyped(
    path: Path, value: Any, wanted: tuple[str, ...], known: tuple[str, ...] = ()
) -> StructureError:
    """A value of the wrong type, or one whose type YAML's readers do not agree on.

    `known` are the words that could stand there, where they are listed.
    """
    rule = "ambiguous-scalar" if _ambiguous(path, value, wanted) else "wrong-type"
    return StructureError(rule, path, value=value, wanted=wanted, known=known)


def misshapen(
    path: Path, part: Literal["key", "value"], value: Any, pattern: str
) -> StructureError:
    """A text that has not the form it needs."""
    rule = "id-not-slug" if pattern == ID else "wrong-form"
    return StructureError(rule, path, part, value=value, pattern=pattern)


def _ambiguous(path: Path, value: Any, wanted: tuple[str, ...]) -> bool:
    if path == ("version",):
        return isinstance(value, int | float) and not isinstance(value, bool)
    if not isinstance(value, str) or "text" in wanted:
        return False
    if "true or false" in wanted:
        return value.lower() in _LOOKS_LIKE_BOOLEAN and value not in ("true", "false")
    return "number" in wanted[0] and re.fullmatch(_LOOKS_LIKE_NUMBER, value) is not None
