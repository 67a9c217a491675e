"""Checks manifests: bytes to findings with places, in one order."""

import os
from dataclasses import dataclass

from forge_cli.manifest.check import examine, subject_of
from forge_cli.manifest.files import Files
from forge_cli.manifest.findings import Finding, Place
from forge_cli.manifest.reading.source import parse

_TOP = Place(1, 1, 1, 2)


@dataclass(frozen=True, slots=True)
class Report:
    """The findings of one file, by line, column and rule; `data` are its bytes."""

    path: str
    findings: tuple[Finding, ...]
    data: bytes

    def fails(self, strict: bool = False) -> bool:
        """Whether there is an error, or with `strict` a warning."""
        return any(strict or finding.severity == "error" for finding in self.findings)


def check_file(path: str, data: bytes, now: int | None = None) -> Report:
    """What is wrong with a manifest's bytes.

    `path` is its name; files it refers to are looked up beside it. `now` (Unix milliseconds) is
    what deadlines are compared with; without it they are not.
    """
    return report(examine(subject_of(parse(data), path, now, beside(path))), path, data)


def beside(path: str) -> Files:
    """What lies in the folder of a manifest."""
    return Files(os.path.dirname(path) or os.curdir)


def report(findings: list[Finding], path: str, data: bytes) -> Report:
    """The findings in their places, which are looked up only if there are any."""
    if not findings:
        return Report(path, (), data)
    from forge_cli.manifest.reading.places import locate_all

    return Report(path, tuple(sorted(locate_all(findings, data), key=_order)), data)


def _order(finding: Finding) -> tuple[Place, str, str]:
    return finding.spot.place or _TOP, finding.rule, finding.message
