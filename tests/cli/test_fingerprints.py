"""By what a finding is recognised in the next report."""

from forge_cli.app.validate import Report, check_file
from forge_cli.cli.fingerprints import fingerprinted
from forge_cli.manifest.findings import Finding, Place, Spot

FAULTY = """\
forge: 1
roles:
  lead:
    capabilities: [repository-read, repository-read]
    delegates: {to: [lead], capabilities: [network]}
    handler: {kind: command, argv: [lead]}
work_items:
  fix: {role: lead, capabilities: [repository-write, test-run], zzz: 1}
  mend: {role: lead, capabilities: [repository-write], zzz: 1}
zzz: 1
zzz: 2
"""


def of(*reports: Report, root: str = ".") -> list[str]:
    """The fingerprints of all findings, in their order."""
    found = [(report, finding) for report in reports for finding in report.findings]
    return [known[2] for known in fingerprinted(found, root)]


def of_text(text: str, path: str = "a.yaml") -> list[str]:
    return of(check_file(path, text.encode(), 0))


def test_each_is_another() -> None:
    found = of_text(FAULTY)
    assert len(found) == len(set(found)) >= 6
    assert not set(found) & set(of_text(FAULTY, "b.yaml"))


def test_lines_above_change_none() -> None:
    assert of_text("# one\n\n# two\n" + FAULTY) == of_text(FAULTY)


def test_items_above_change_none() -> None:
    more = FAULTY.replace("work_items:\n", "work_items:\n  a: {role: lead}\n")
    assert of_text(more) == of_text(FAULTY)


def test_the_wording_and_the_amounts_in_it_do_not_count() -> None:
    finding = Finding("unknown-key", Spot(("work_items", "a"), place=Place(1, 1, 1, 2)), "3 of 4")
    other = finding._replace(message="three of four")
    assert of(Report("a", (finding,), b"")) == of(Report("a", (other,), b""))


def test_equal_ones_are_told_apart_by_their_order() -> None:
    finding = Finding("yaml-tag", Spot(place=Place(1, 1, 1, 2)), "no tags")
    once, twice = of(Report("a", (finding,), b"")), of(Report("a", (finding, finding), b""))
    assert twice[0] == once[0]
    assert twice[1] != twice[0]


def test_the_spelling_of_a_path_does_not_count() -> None:
    finding = Finding("yaml-tag", Spot(place=Place(1, 1, 1, 2)), "no tags")
    assert of(Report("./a", (finding,), b"")) == of(Report("a", (finding,), b""))
