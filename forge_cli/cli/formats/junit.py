"""Findings as JUnit XML, which CI services show as tests."""

from collections.abc import Iterator
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element, SubElement

from forge_cli.app.validate import Report
from forge_cli.cli.formats import Checked, unselected
from forge_cli.cli.formats.concise import header
from forge_cli.cli.spots import place_of
from forge_cli.cli.terminal import Terminal
from forge_cli.manifest.findings import Finding

_OUTCOMES = {"failures": "failure", "errors": "error", "skipped": "skipped"}
_PLAIN = Terminal()
"""What is printable is also what XML may hold."""


def write(checked: Checked, _terminal: Terminal) -> Iterator[str]:
    """One document in ASCII: a suite for each file, with a test for each finding.

    A file without findings is one test that passed. A warning is a skipped test, with `strict` a
    failed one; errors that are not shown are one of their file, and what could not be read one in a
    suite of its own.
    """
    suites = Element("testsuites", {"name": "forge validate"})
    for report in checked.reports:
        _add_file(suites, report, checked.strict)
    if checked.refusals:
        _add_refusals(suites, checked.refusals)
    for counted in (*suites, suites):
        counted.attrib |= _counts(counted)
    ET.indent(suites)
    yield ET.tostring(suites, "us-ascii", xml_declaration=True).decode()


def _add_file(suites: Element, report: Report, strict: bool) -> None:
    path = _PLAIN.safe(report.path)
    suite = SubElement(suites, "testsuite", {"name": path})
    for finding in report.findings:
        _add_finding(suite, report.path, finding, strict)
    where = {"classname": path, "file": path}
    if report.unshown:
        case = SubElement(suite, "testcase", {"name": "other rules", **where})
        SubElement(case, "error", {"message": unselected(report.unshown)})
    elif not report.findings:
        SubElement(suite, "testcase", {"name": "no findings", **where})


def _add_finding(suite: Element, path: str, finding: Finding, strict: bool) -> None:
    place, name = place_of(finding.spot), _PLAIN.safe(path)
    where = {"classname": name, "file": name, "line": str(place.line)}
    title = f"{finding.rule} {place.line}:{place.column}"
    case = SubElement(suite, "testcase", {"name": title, **where})
    fails = strict or finding.severity == "error"
    message = "\n".join(map(_PLAIN.safe, finding.message.split("\n")))
    outcome = SubElement(case, "failure" if fails else "skipped", {"message": message})
    if fails:
        outcome.set("type", finding.rule)
    hint = map(_PLAIN.safe, finding.hint.split("\n"))
    outcome.text = "\n".join([header(path, finding, _PLAIN), *hint]).rstrip()


def _add_refusals(suites: Element, refusals: tuple[str, ...]) -> None:
    suite = SubElement(suites, "testsuite", {"name": "forge"})
    for sentence in map(_PLAIN.safe, refusals):
        case = SubElement(suite, "testcase", {"name": sentence, "classname": "forge"})
        SubElement(case, "error", {"message": sentence})


def _counts(suite: Element) -> dict[str, str]:
    tests = {"tests": str(len(list(suite.iter("testcase"))))}
    return tests | {name: str(len(list(suite.iter(tag)))) for name, tag in _OUTCOMES.items()}
