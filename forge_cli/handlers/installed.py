"""Handler kinds that installed distributions add: entry points of `forge.handlers`, by name.

What is told here is what distributions say of themselves; nothing of them is imported.
"""

import os
import re
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from importlib.metadata import Distribution, distributions
from importlib.util import find_spec
from pathlib import Path

from forge_cli.handlers.neighbours import with_neighbours

GROUP = "forge.handlers"
_FOR_GOOD = ("site-packages", "dist-packages")
_KIND = re.compile(r"[a-z][a-z0-9_-]{0,63}")
_TARGET = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
_SECTION = re.compile(rf"^\s*\[\s*{re.escape(GROUP)}\s*\]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PlugIn:
    """A kind and who offers it; `target` is `module:name`. `problem` is why it cannot be used."""

    kind: str
    target: str
    distribution: str
    version: str
    problem: str = ""

    @property
    def origin(self) -> str:
        """The distribution and its version: `acme-forge 1.2`."""
        return f"{self.distribution} {self.version}".rstrip()


def installed(built_in: Collection[str] = ()) -> list[PlugIn]:
    """Every plug-in, by kind and distribution. `built_in` are the kinds that none may take."""
    offers = sorted(_offers(), key=lambda each: (each.kind, each.distribution))
    origins: dict[str, list[str]] = {}
    for each in offers:
        origins.setdefault(each.kind, []).append(each.origin)
    return [_judged(each, built_in, origins[each.kind]) for each in offers]


def named(kind: str) -> PlugIn | None:
    """The plug-in of that kind; of several, the first, which says that they clash."""
    return next((each for each in installed() if each.kind == kind), None)


def search_path() -> list[str]:
    """Where this process finds modules: there plug-ins are found, and there they are imported."""
    return [os.path.abspath(each) for each in sys.path]  # noqa: PTH100 - pathlib is slow to import


def places(target: str) -> list[str]:
    """The module or package of an entry point, and what lies beside it; nothing if it is not there.

    Beside what is installed for good lie others' packages, which are not looked at.
    """
    try:
        spec = find_spec(target.partition(":")[0].partition(".")[0])
    except (ImportError, ValueError):
        return []
    if spec is None:
        return []
    found = spec.submodule_search_locations or [spec.origin or ""]
    return [place for path in found for place in _beside(Path(os.path.abspath(path)))]  # noqa: PTH100 - a link stays one


def _beside(path: Path) -> list[str]:
    return [str(path)] if path.parent.name in _FOR_GOOD else with_neighbours(path)


def _offers() -> Iterator[PlugIn]:
    """What each distribution offers; of two of one name, as when importing, the first counts."""
    seen: set[str] = set()
    for distribution in distributions():
        text = _entry_points(distribution)
        if not _SECTION.search(text):
            continue
        name, version = _identity(distribution)
        canonical = re.sub(r"[-_.]+", "-", name).lower()
        if canonical not in seen:
            seen.add(canonical)
            for kind, target in _entries(text):
                yield PlugIn(kind, target, name, version)


def _entry_points(distribution: Distribution) -> str:
    try:
        return distribution.read_text("entry_points.txt") or ""
    except (OSError, ValueError):
        return ""  # unreadable or no text: whoever installed it cannot have meant forge


def _identity(distribution: Distribution) -> tuple[str, str]:
    """Name and version, also of a distribution that has lost its metadata."""
    try:
        metadata = distribution.read_text("METADATA") or distribution.read_text("PKG-INFO") or ""
    except (OSError, ValueError):
        metadata = ""
    fields = dict(re.findall(r"^(Name|Version):[ \t]*(\S+)", metadata, re.MULTILINE))
    return fields.get("Name", "(unnamed)"), fields.get("Version", "")


def _entries(text: str) -> Iterator[tuple[str, str]]:
    """The names and targets below the heading, read by hand.

    `importlib.metadata` gives up on all of a file that has one bad line.
    """
    below = False
    for line in text.splitlines():
        words = line.strip()
        if words.startswith("["):
            below = bool(_SECTION.match(words))
        elif below and words and not words.startswith(("#", ";")):
            kind, _, target = words.partition("=")
            yield kind.strip(), target.partition("[")[0].strip()


def _judged(offer: PlugIn, built_in: Collection[str], origins: list[str]) -> PlugIn:
    return replace(offer, problem=_problem(offer, built_in, origins))


def _problem(offer: PlugIn, built_in: Collection[str], origins: list[str]) -> str:
    """Why the offer cannot be used, as far as its distribution says; else nothing."""
    if not _KIND.fullmatch(offer.kind):
        return "its name is no id: a-z, 0-9, '_' and '-', a letter first, at most 64 characters"
    if offer.kind in built_in:
        return f"forge has a handler kind '{offer.kind}' of its own"
    if len(origins) > 1:
        return f"{' and '.join(origins)} offer a handler kind of this name; uninstall all but one"
    if not _TARGET.fullmatch(offer.target):
        return f"its entry point is '{offer.target}', not  module:Class"
    return ""
