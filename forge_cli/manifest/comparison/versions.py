"""Which versions must rise for what has changed, and whether they have."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from forge_cli.manifest.comparison.changes import WEIGHTS, Change, Weight
from forge_cli.manifest.comparison.sides import Side
from forge_cli.manifest.findings import Path, Spot


@dataclass(frozen=True, slots=True)
class Due:
    """A version that must rise: what has it, what it was and is, and the least that it must be.

    `weight` is that of the gravest change; `spot` is where the version is, or should be, written in
    the new manifest, and `typed` what to write there.
    """

    part: str
    old: str
    new: str
    due: str
    shown: bool
    weight: Weight
    spot: Spot
    typed: str


def dues(old: Side, new: Side, changes: Sequence[Change]) -> list[Due]:
    """The versions that the changes touch: the manifest's, then roles' and schemas'."""
    return [*_manifest(old, new, changes), *_roles(old, new, changes), *_schemas(changes)]


def _manifest(old: Side, new: Side, changes: Sequence[Change]) -> Iterator[Due]:
    """Breaking: the first number rises; anything else: the first or the second."""
    if not changes:
        return
    weight = _gravest(changes)
    before, after = _numbers(old.plan.version), _numbers(new.plan.version)
    due = (before[0] + 1, 0, 0) if weight == "breaking" else (before[0], before[1] + 1, 0)
    typed = ".".join(map(str, due))
    yield Due(
        "the manifest",
        old.plan.version,
        new.plan.version,
        typed,
        after >= due,
        weight,
        Spot(("version",), "key"),
        f"version: {typed}",
    )


def _roles(old: Side, new: Side, changes: Sequence[Change]) -> Iterator[Due]:
    """A role has one number, which rises whenever the role changes."""
    for role_id, role in new.topology.takes_part.items():
        own = [c for c in changes if c.key == ("role", role_id) and c.aspect]
        if own:
            before = old.topology.takes_part[role_id].version
            yield Due(
                f"role '{role_id}'",
                str(before),
                str(role.version),
                str(before + 1),
                role.version > before,
                _gravest(own),
                Spot((*role.path, "version"), "key"),
                f"version: {before + 1}",
            )


def _schemas(changes: Sequence[Change]) -> Iterator[Due]:
    """A schema that says something else needs another name: its id and a higher number."""
    for change in changes:
        if change.key[0] == "schema" and change.old is not None and change.new is not None:
            before, after = _key(change.old.path), _key(change.new.path)
            schema_id, _, number = before.partition("@")
            due = int(number) + 1
            yield Due(
                f"schema '{schema_id}'",
                number,
                after.partition("@")[2],
                str(due),
                int(after.partition("@")[2]) >= due,
                change.verdict.weight,
                Spot(("schemas", after), "key"),
                f"{schema_id}@{due}: ...",
            )


def _key(path: Path) -> str:
    return str(path[1])


def _gravest(changes: Sequence[Change]) -> Weight:
    return min((change.verdict.weight for change in changes), key=WEIGHTS.index)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
