"""Plain data to findings: what was not read, what has the wrong shape, what makes no sense."""

from itertools import islice

from forge_cli.manifest.consequences import Consequences, judgeable
from forge_cli.manifest.files import Files
from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.findings import Path as FindingPath
from forge_cli.manifest.meaning.scopes import begin
from forge_cli.manifest.naming import SHORT, readable
from forge_cli.manifest.reading.source import Source
from forge_cli.manifest.rules import RULES, due, load
from forge_cli.manifest.shape.structure import structure
from forge_cli.manifest.subject import Subject

MOST_FINDINGS = 10_000
"""Findings about the meaning of one manifest that are told; further ones nobody reads."""


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
    files = files or Files(None)
    if source.data and "include" in source.data:
        return _with_included(source, path, now, files)
    shape = structure(source.data, source.holes, _doubled(source))
    return Subject(source, shape, path, now, files)


def _doubled(source: Source) -> frozenset[FindingPath]:
    """The mappings of the manifest itself in which a key stands twice."""
    twice = (each.spot for each in source.faults if each.rule == "duplicate-key")
    return frozenset(spot.path[:-1] for spot in twice if not spot.file)


def _with_included(source: Source, path: str, now: int | None, files: Files) -> Subject:
    from forge_cli.manifest.provenance import rebased
    from forge_cli.manifest.reading.inclusion import with_included

    source = with_included(source, path, files)
    shape = structure(source.data, source.holes, _doubled(source))
    shape = shape._replace(data=rebased(shape.data, source.origins))
    return Subject(source, shape, path, now, files)


def examine(subject: Subject) -> list[Finding]:
    """Every finding, in the order of the rules; none that only follows from another.

    An exception in a rule is a bug and rises.
    """
    rules = list(due(subject))
    findings = [
        finding for rule in rules if RULES[rule].reading for finding in load(rule).check(subject)
    ]
    if judgeable(subject):
        findings += _meant(subject, [rule for rule in rules if not RULES[rule].reading])
    if subject.source.included:
        findings = _attributed(findings, subject)
    return list(map(_readable, findings))


def _meant(subject: Subject, rules: list[str]) -> list[Finding]:
    """What the manifest's meaning is wrong in; not all of it where that are too many faults."""
    consequences = Consequences(subject)
    findings: list[Finding] = []
    for rule in rules:
        left = MOST_FINDINGS - len(findings)
        found = list(islice(consequences.others(load(rule).check(subject)), left + 1))
        findings += found[:left]
        if len(found) > left:
            from forge_cli.manifest.rules.too_many_faults import too_many

            return [*findings, too_many(MOST_FINDINGS)]
    return findings


def _attributed(findings: list[Finding], subject: Subject) -> list[Finding]:
    """The findings in the files that they are about."""
    from forge_cli.manifest.provenance import Provenance

    provenance = Provenance(subject)
    return [provenance.located(each) for each in findings if provenance.concerns(each)]


def _readable(finding: Finding) -> Finding:
    """The finding, with what it quotes cut where it is long."""
    texts = (finding.message, finding.hint, finding.spot.note, *(s.note for s in finding.related))
    if max(map(len, texts)) <= SHORT:
        return finding
    return finding._replace(
        message=readable(finding.message),
        hint=readable(finding.hint),
        spot=_noted(finding.spot),
        related=tuple(map(_noted, finding.related)),
    )


def _noted(spot: Spot) -> Spot:
    return spot._replace(note=readable(spot.note))
