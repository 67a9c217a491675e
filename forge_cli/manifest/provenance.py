"""Data from included files as the rules see it, and findings about it as they are told there."""

import re
from collections.abc import Callable, Mapping
from os.path import join
from typing import Any

from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.reading.inclusion import name_of
from forge_cli.manifest.reading.source import Origin
from forge_cli.manifest.subject import Subject

_BY_THE_MANIFEST = frozenset({"budget-exceeds-parent", "depth-exceeded", "scope-exceeds-parent"})
"""What a role is held against here is the manifest's: it is a fault only together with that."""


_ABOUT_FILES = frozenset({"bad-schema", "missing-file", "missing-function"})
"""Rules whose messages name files, from the manifest's folder."""


def rebased(data: dict[str, Any], origins: Mapping[Path, Origin]) -> dict[str, Any]:
    """Sound data in which files that an included one names are named from the manifest's folder."""
    moved = {section: dict(data[section]) for section in _MOVES if section in data}
    for (section, name), origin in origins.items():
        if origin.folder and section in _MOVES and name in moved.get(str(section), {}):
            entries = moved[str(section)]
            entries[name] = _MOVES[str(section)](entries[name], origin.folder)
    return {**data, **moved}


def _moved_role(role: dict[str, Any], folder: str) -> dict[str, Any]:
    handler = role.get("handler", {})
    key = _FILE_KEYS.get(handler.get("kind"))
    if key not in handler:
        return role
    return {**role, "handler": {**handler, key: join(folder, handler[key])}}


_FILE_KEYS = {"function": "call", "agent": "instructions_file"}
"""What names a file, for each kind of handler that has such a key."""

_MOVES: Mapping[str, Callable[[Any, str], Any]] = {
    "roles": _moved_role,
    "schemas": lambda schema, folder: join(folder, schema) if isinstance(schema, str) else schema,
}


class Provenance:
    """Knows of each place which file it is in."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._origins = subject.source.origins

    def concerns(self, finding: Finding) -> bool:
        """Whether a finding about meaning is a fault of a file, or of its use by this manifest.

        Files are shared: that a manifest does not use one of their roles, or has not what only
        that role would need, is none.
        """
        origin = self._origin(finding.spot)
        if origin is None or finding.spot.path[0] != "roles":
            return True
        if finding.rule == "unused-role":
            return False
        return not _is_by_the_manifest(finding) or (
            finding.spot.path[1] in self._subject.topology.called
        )

    def located(self, finding: Finding) -> Finding:
        """The finding with the file of each spot; the manifest's part in it is related."""
        origin = self._origin(finding.spot)
        related = tuple(map(self._placed, finding.related))
        if origin and _is_by_the_manifest(finding) and not any(not each.file for each in related):
            related = (*related, Spot(origin.entry, note="included here"))
        if origin and origin.folder and finding.rule in _ABOUT_FILES:
            message, hint = (_as_written(t, origin) for t in (finding.message, finding.hint))
            finding = finding._replace(message=message, hint=hint)
        return finding._replace(spot=self._placed(finding.spot), related=related)

    def _placed(self, spot: Spot) -> Spot:
        origin = self._origin(spot)
        if origin is None:
            return spot
        token = spot.token and _as_written(spot.token, origin)
        return spot._replace(file=name_of(self._subject.path, origin.file), token=token)

    def _origin(self, spot: Spot) -> Origin | None:
        return None if spot.file or spot.place else self._origins.get(spot.path[:2])


def _is_by_the_manifest(finding: Finding) -> bool:
    rule, path = finding.rule, finding.spot.path
    return rule in _BY_THE_MANIFEST or (rule == "unknown-reference" and path[2:3] == ("handler",))


def _as_written(text: str, origin: Origin) -> str:
    """The text with files named as the included file names them, from its own folder."""
    folder = re.escape(f"{origin.folder}/")
    return re.sub(rf"(?<![\w./:-]){folder}", "", text) if origin.folder else text
