"""Compares two manifests by what they come to: files, or a file with what it was at a commit."""

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from forge_cli.app.plan import Compiled, compiled_from
from forge_cli.app.revisions import revision
from forge_cli.app.validate import Report, beside
from forge_cli.app.workspace import workspace_of
from forge_cli.errors import ForgeError
from forge_cli.evidence.garbage import uncollected
from forge_cli.manifest.comparison.changes import WEIGHTS, Change
from forge_cli.manifest.comparison.compare import compare
from forge_cli.manifest.comparison.sides import Side
from forge_cli.manifest.comparison.versions import Due, dues
from forge_cli.manifest.compilation.handlers import Handlers
from forge_cli.manifest.files import Files
from forge_cli.manifest.findings import TOP, Finding, Place, Spot
from forge_cli.manifest.reading.inclusion import name_of
from forge_cli.manifest.reading.places import locate_all
from forge_cli.manifest.reading.source import read


@dataclass(frozen=True, slots=True)
class Difference:
    """What two manifests differ in, the heaviest first, and the versions that must rise for it.

    `old` and `new` are what people call the two. Where one is not valid, `faulty` has its findings,
    and nothing was compared.
    """

    old: str
    new: str
    changes: tuple[Change, ...] = ()
    dues: tuple[Due, ...] = ()
    faulty: tuple[Report, ...] = ()

    @property
    def missing(self) -> tuple[Due, ...]:
        """The versions that do not show what changed."""
        return tuple(due for due in self.dues if not due.shown)


@dataclass(frozen=True, slots=True)
class _Read:
    """One of the two, as it was read: `path` is its file, `ref` the commit that it is from."""

    path: Path
    data: bytes
    files: Files
    programs: Files
    ref: str = ""
    within: str = ""

    @property
    def name(self) -> str:
        """What people call it; git reads `REF:PATH`, from the top of the repository."""
        return f"{self.ref}:{self.within}" if self.ref else str(self.path)

    def compiled(self) -> Compiled:
        return compiled_from(self.data, str(self.path), self.files, self.programs)

    def side(self, found: Compiled) -> Side | None:
        if found.plan is None or found.topology is None:
            return None
        return Side(found.plan, found.topology, Handlers(self.files, self.programs))

    def placed(self, spots: Iterable[Spot], found: Compiled) -> Iterator[Spot]:
        """The spots with their places, and with the files that they are in."""
        findings = [Finding("", self._in_file(spot, found), "") for spot in spots]
        for finding in locate_all(findings, self.data, found.report.others):
            spot = finding.spot
            yield spot._replace(file=self._called(spot, found)) if spot.file else spot

    def _in_file(self, spot: Spot, found: Compiled) -> Spot:
        origin = found.origins.get(spot.path[:2])
        return spot._replace(file=name_of(str(self.path), origin.file)) if origin else spot

    def _called(self, spot: Spot, found: Compiled) -> str:
        """An included file as people write it."""
        if not self.ref:
            return spot.file
        return f"{self.ref}:{name_of(self.within, found.origins[spot.path[:2]].file)}"


def between(old: Path, new: Path) -> Difference:
    """The difference between two files; `ForgeError` if one cannot be read."""
    return _difference(_here(old), _here(new))


def against(ref: str, path: Path) -> Difference:
    """The difference between a file at a commit and as it is now.

    What it refers to is read from the same commit. Of a link it is the file that it leads to.
    `ForgeError` if one cannot be read.
    """
    new, file = _here(path), path.resolve()
    folder = file.parent
    with revision(ref, folder) as commit:
        below = folder.relative_to(commit.top.resolve()).as_posix()
        below = "" if below == "." else below
        within = posixpath.join(below, file.name)
        data = commit.look(within)
        if isinstance(data, str):
            raise ForgeError(f"'{ref}:{within}' {data}; there is nothing to compare '{path}' with")
        files = commit.beside(below)
        return _difference(_Read(path, data, files, commit.beside(""), ref, within), new)


def _here(path: Path) -> _Read:
    return _Read(path, read(path), beside(str(path)), Files(workspace_of(path)))


@uncollected()
def _difference(old: _Read, new: _Read) -> Difference:
    was, now = old.compiled(), new.compiled()
    before, after = old.side(was), new.side(now)
    if before is None or after is None:
        reports = (
            found.report._replace(path=each.name) for each, found in ((old, was), (new, now))
        )
        return Difference(old.name, new.name, faulty=tuple(r for r in reports if r.fails()))
    changes = compare(before, after)
    due = dues(before, after, changes)
    was_at = old.placed((each.old for each in changes if each.old is not None), was)
    now_at = new.placed((each.new for each in changes if each.new is not None), now)
    placed = [
        replace(each, old=each.old and next(was_at), new=each.new and next(now_at))
        for each in changes
    ]
    spots = new.placed((each.spot for each in due), now)
    risen = tuple(replace(each, spot=spot) for each, spot in zip(due, spots, strict=True))
    return Difference(old.name, new.name, tuple(sorted(placed, key=_order)), risen)


def _order(change: Change) -> tuple[int, Place, str, str]:
    spot = change.new or change.old
    place = spot.place if spot is not None else None
    return WEIGHTS.index(change.verdict.weight), place or TOP, change.part, change.aspect
