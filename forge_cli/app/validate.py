"""Checks manifests: bytes to findings with places, in one order."""

import os
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from forge_cli.manifest.check import examine, subject_of
from forge_cli.manifest.files import Files
from forge_cli.manifest.findings import TOP, Finding, Place, Spot
from forge_cli.manifest.reading.source import parse
from forge_cli.manifest.rules import load
from forge_cli.manifest.subject import Subject


class Report(NamedTuple):
    """The findings of one file, by line, column and rule; `data` are its bytes.

    `others` are the files that it includes, by the names that spots have for them. `ignored` are
    the warnings that a comment of the file silences, each with the reason it gives. `unshown` is
    the number of errors that are not told, as nobody selected their rules, and fail all the same.
    """

    path: str
    findings: tuple[Finding, ...]
    data: bytes
    others: Mapping[str, bytes] = MappingProxyType({})
    ignored: tuple[tuple[Finding, str], ...] = ()
    unshown: int = 0

    def fails(self, strict: bool = False) -> bool:
        """Whether there is an error, or with `strict` a warning."""
        return self.unshown > 0 or any(
            strict or finding.severity == "error" for finding in self.findings
        )


def check_file(path: str, data: bytes, now: int | None = None) -> Report:
    """What is wrong with a manifest's bytes.

    `path` is its name; files it refers to are looked up beside it. `now` (Unix milliseconds) is
    what deadlines are compared with; without it they are not. A file that is no manifest, and has
    only what an included one may have, is judged as such.
    """
    source = parse(data)
    if source.data and "forge" not in source.data:
        from forge_cli.manifest.reading.inclusion import KEYS, including

        if source.data.keys() <= set(KEYS):
            folder, name = os.path.split(path)
            files = Files(folder or os.curdir, {name: data})
            subject = subject_of(including(name), os.path.join(folder, ""), now, files)
            return report(subject, b"")._replace(path=os.path.normpath(path), data=data)
    return report(subject_of(source, path, now, beside(path)), data)


def beside(path: str) -> Files:
    """What lies in the folder of a manifest."""
    return Files(os.path.dirname(path) or os.curdir)


def report(subject: Subject, data: bytes) -> Report:
    """The findings in their places, which are looked up only if there are any."""
    findings, others = examine(subject), _included(subject)
    if not findings and not subject.source.ignores:
        return Report(subject.path, (), data, others)
    from forge_cli.manifest.reading.places import locate_all

    located = sorted(locate_all(findings, data, others), key=_order)
    if not subject.source.ignores:
        return Report(subject.path, tuple(located), data, others)
    told, ignored = _told(subject.after(located))
    return Report(subject.path, told, data, others, ignored)


def _told(subject: Subject) -> tuple[tuple[Finding, ...], tuple[tuple[Finding, str], ...]]:
    """What is told of a manifest with comments that ask to ignore warnings, and what is not."""
    from forge_cli.manifest.reading.ignores import silence

    told, silenced = silence(subject.found, subject.source.ignores)
    told += load("unused-ignore").check(subject)
    ignored = tuple((finding, comment.reason) for finding, comment in silenced)
    return tuple(sorted(told, key=_order)), ignored


def _included(subject: Subject) -> Mapping[str, bytes]:
    """The files that a manifest includes, by the names that spots have for them."""
    if not subject.source.included:
        return subject.source.included
    from forge_cli.manifest.reading.inclusion import name_of

    return {name_of(subject.path, name): data for name, data in subject.source.included.items()}


def by_file(reports: Sequence[Report]) -> list[Report]:
    """A report for each file that was looked at, included ones too, by their names.

    What several manifests say of a file that they share is told once.
    """
    if not any(each.others for each in reports):
        return list(reports)
    told: dict[str, dict[Finding, None]] = {}
    ignored: dict[str, dict[tuple[Finding, str], None]] = {}
    data: dict[str, bytes] = {}
    for each in reports:
        data |= {each.path: each.data, **each.others}
        for finding in each.findings:
            placed = _named(finding, each.path)
            told.setdefault(placed.spot.file, {})[placed] = None
        for finding, reason in each.ignored:
            placed = _named(finding, each.path)
            ignored.setdefault(placed.spot.file, {})[placed, reason] = None
    return [
        Report(
            path,
            tuple(sorted(told.get(path, ()), key=_order)),
            data[path],
            data,
            tuple(ignored.get(path, ())),
        )
        for path in sorted(data)
    ]


def _named(finding: Finding, path: str) -> Finding:
    """The finding with the file of each spot, also of those in the manifest itself."""

    def named(spot: Spot) -> Spot:
        return spot if spot.file else spot._replace(file=path)

    return finding._replace(spot=named(finding.spot), related=tuple(map(named, finding.related)))


def _order(finding: Finding) -> tuple[str, Place, str, str]:
    return finding.spot.file, finding.spot.place or TOP, finding.rule, finding.message
