"""Which findings about meaning only follow from a fault of the shape, and so are not told."""

from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.naming import entity_of
from forge_cli.manifest.subject import Subject

_SECTIONS = frozenset(
    {
        "capabilities",
        "context_packages",
        "delegations",
        "env",
        "include",
        "inputs",
        "roles",
        "schemas",
        "secrets",
        "state",
        "work_items",
    }
)
_IDENTITY = frozenset(
    {
        "authority",
        "capabilities",
        "delegate",
        "delegates",
        "delegation",
        "delegator",
        "for_each",
        "handler",
        "kind",
        "outputs",
        "owner",
        "pattern",
        "role",
        "run",
        "scope",
        "script",
        "sub_tasks",
        "with",
        "writes",
    }
)
"""Keys that say what an item, a role or a delegation is; without one, nothing said of it holds."""

_ORDER = frozenset({"depends_on", "after", "with"})
_ABOUT_ORDER = frozenset({"unordered-read", "write-conflict"})
_ABOUT_OUTPUTS = frozenset({"unknown-reference", "bad-expression"})


def judgeable(subject: Subject) -> bool:
    """Whether there is a meaning to judge: the manifest was read, and no section of it is lost."""
    if subject.source.data is None or subject.structure.hopeless or () in subject.source.holes:
        return False
    sections = {path[0] for path in subject.structure.lost if len(path) == 1}
    return sections.isdisjoint(_SECTIONS)


class Consequences:
    """Tells the findings that follow from what the shape's faults left unknown."""

    def __init__(self, subject: Subject) -> None:
        errors = subject.structure.errors
        self._told = {error.path for error in errors if error.rule != "missing-key"}
        holes = subject.source.holes
        lost = {path for path in subject.structure.lost if path}
        self._vague = {entity_of(path) for path in lost if path[-1] in _IDENTITY}
        self._vague |= {entity_of(path) for path in holes}
        keys = {path[-1] for path in lost}
        self._mute: frozenset[str] = frozenset()
        if holes or keys & _ORDER:
            self._mute |= _ABOUT_ORDER
        if holes or "outputs" in keys:
            self._mute |= _ABOUT_OUTPUTS

    def include(self, finding: Finding) -> bool:
        """Whether a finding about meaning only follows from a fault that is told anyway."""
        return (
            finding.rule in self._mute
            or self._is_told(finding.spot)
            or any(self._is_vague(spot.path) for spot in (finding.spot, *finding.related))
        )

    def _is_told(self, spot: Spot) -> bool:
        return any(spot.path[:length] in self._told for length in range(1, len(spot.path) + 1))

    def _is_vague(self, path: Path) -> bool:
        return bool(path) and entity_of(path) in self._vague
