"""Plain data to findings: what was not read, what has the wrong shape, what makes no sense."""

from forge_cli.manifest.consequences import Consequences, judgeable
from forge_cli.manifest.files import Files
from forge_cli.manifest.findings import Finding
from forge_cli.manifest.meaning.scopes import begin
from forge_cli.manifest.reading.source import Source
from forge_cli.manifest.rules import RULES, due, load
from forge_cli.manifest.shape.structure import structure
from forge_cli.manifest.subject import Subject


def check(
    source: Source, path: str, now: int | None = None, files: Files | None = None
) -> list[Finding]:
    """Every finding of a manifest; `files` is what lies beside it.

    `now` is in milliseconds since the epoch (UTC).
    """
    return examine(subject_of(source, path, now, files))


def subject_of(
    source: Source, path: str, now: int | None = None, files: Files | None = None
) -> Subject:
    """What the rules look at, for who also needs what the manifest means."""
    begin()
    shape = structure(source.data, source.holes)
    return Subject(source, shape, path, now, files or Files(None))


def examine(subject: Subject) -> list[Finding]:
    """Every finding, in the order of the rules; none that only follows from another.

    An exception in a rule is a bug and rises.
    """
    rules = list(due(subject))
    findings = [
        finding for rule in rules if RULES[rule].reading for finding in load(rule).check(subject)
    ]
    if judgeable(subject):
        consequences = Consequences(subject)
        meaning = (rule for rule in rules if not RULES[rule].reading)
        findings += (
            finding
            for rule in meaning
            for finding in load(rule).check(subject)
            if not consequences.include(finding)
        )
    return findings
