"""Bytes to findings in one order."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from forge_cli.app.validate import Report, by_file, check_file
from forge_cli.manifest.findings import Finding, Place, Spot

VALID = b"forge: 1\nwork_items:\n  hello:\n    run: [echo, hello]\n    capabilities: []\n"
FAULTY = VALID + b"forge: 1\n7: *x\n" + VALID.replace(b"work_items", b"zzz").partition(b"\n")[2]


def test_a_valid_manifest_has_no_findings() -> None:
    assert check_file("a.yaml", VALID) == Report("a.yaml", (), VALID)


def test_findings_come_by_line_column_and_rule() -> None:
    found = check_file("a.yaml", FAULTY).findings
    places = [(finding.spot.place, finding.rule) for finding in found]
    assert places == sorted(places)
    assert len(found) >= 4


def test_every_finding_and_what_it_relates_to_has_a_place() -> None:
    for finding in check_file("a.yaml", FAULTY).findings:
        assert all(spot.place is not None for spot in (finding.spot, *finding.related))


def test_the_verdict_is_the_same_in_every_thread() -> None:
    with ThreadPoolExecutor(16) as threads:
        first, *others = threads.map(lambda _: check_file("a.yaml", FAULTY), range(64))
    assert others == [first] * 63


@pytest.mark.parametrize(
    ("severities", "fails", "fails_strictly"),
    [((), False, False), (("warning",), False, True), (("warning", "error"), True, True)],
)
def test_warnings_fail_only_when_strict(
    severities: tuple[str, ...], fails: bool, fails_strictly: bool
) -> None:
    place = Place(1, 1, 1, 2)
    findings = tuple(
        Finding("a-rule", Spot(place=place), "a message", severity="error")
        if severity == "error"
        else Finding("a-rule", Spot(place=place), "a message", severity="warning")
        for severity in severities
    )
    report = Report("a.yaml", findings, b"")
    assert report.fails() is fails
    assert report.fails(strict=True) is fails_strictly


def shared(*related: Spot) -> Finding:
    return Finding("a-rule", Spot(place=PLACE, file="roles.yaml"), "a message", "", related)


PLACE = Place(1, 1, 1, 2)
ROLES = {"roles.yaml": b"roles: 1\n"}


def test_what_manifests_say_of_a_file_that_they_share_is_told_once_in_a_report_of_its_own() -> None:
    reports = [Report(name, (shared(),), b"", ROLES) for name in ("a.yaml", "s.yaml")]
    found = by_file(reports)
    assert [(each.path, len(each.findings)) for each in found] == [
        ("a.yaml", 0),
        ("roles.yaml", 1),
        ("s.yaml", 0),
    ]
    assert found[1].data == b"roles: 1\n"


def test_what_is_wrong_in_one_manifest_is_told_of_each() -> None:
    here = Spot(place=PLACE, note="included here")
    reports = [Report(name, (shared(here),), b"", ROLES) for name in ("a.yaml", "b.yaml")]
    related = [each.related[0].file for report in by_file(reports) for each in report.findings]
    assert related == ["a.yaml", "b.yaml"]


def test_reports_without_other_files_stay_as_they_are() -> None:
    reports = [Report("b.yaml", (), b""), Report("a.yaml", (), b"")]
    assert by_file(reports) == reports


def test_what_a_comment_ignores_is_reported_with_its_reason() -> None:
    text = VALID + b"deadline: '2020-01-01T00:00:00Z'  # forge: ignore[deadline-past] a replay\n"
    report = check_file("a.yaml", text, now=1_790_000_000_000)
    assert report.findings == ()
    assert [(each.rule, why) for each, why in report.ignored] == [("deadline-past", "a replay")]
    assert not report.fails(strict=True)


def test_what_is_ignored_in_a_file_goes_to_its_own_report() -> None:
    ignored = ((shared(), "it is known"),)
    reports = [Report("a.yaml", (), b"", ROLES, ignored), Report("b.yaml", (), b"", ROLES, ignored)]
    found = [(each.path, [why for _, why in each.ignored]) for each in by_file(reports)]
    assert found == [("a.yaml", []), ("b.yaml", []), ("roles.yaml", ["it is known"])]
