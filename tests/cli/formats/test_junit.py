"""Findings as tests in JUnit XML."""

from collections.abc import Callable
from xml.etree import ElementTree as ET

from forge_cli.cli.formats import Checked

Written = Callable[[str, Checked], str]
COUNTS = ("tests", "failures", "errors", "skipped")


def counts(element: ET.Element) -> dict[str, int]:
    return {name: int(element.attrib[name]) for name in COUNTS}


def test_a_file_is_a_suite_and_a_finding_a_test(checked: Checked, written: Written) -> None:
    suites = ET.fromstring(written("junit", checked))
    assert [suite.attrib["name"] for suite in suites] == ["a.yaml", "b.yaml"]
    assert counts(suites[0]) == {"tests": 2, "failures": 1, "errors": 0, "skipped": 1}
    assert counts(suites) == {"tests": 3, "failures": 1, "errors": 0, "skipped": 1}
    error, warning = suites[0]
    assert error.attrib["name"] == "capability-exceeds-role 4:7"
    assert (error.attrib["file"], error.attrib["line"]) == ("a.yaml", "4")
    failure = error[0]
    assert failure.attrib["type"] == "capability-exceeds-role"
    assert failure.attrib["message"] == "'repository-write' exceeds role 'reviewer'"
    assert failure.text == (
        "a.yaml:4:7: error: 'repository-write' exceeds role 'reviewer' [capability-exceeds-role]\n"
        "write  capabilities: [repository-read]"
    )
    assert warning[0].tag == "skipped"


def test_a_sound_file_is_a_test_that_passed(checked: Checked, written: Written) -> None:
    (case,) = ET.fromstring(written("junit", checked))[1]
    assert (case.attrib["name"], len(case)) == ("no findings", 0)


def test_with_strict_a_warning_fails(checked: Checked, written: Written) -> None:
    suites = ET.fromstring(written("junit", checked._replace(strict=True)))
    assert counts(suites) == {"tests": 3, "failures": 2, "errors": 0, "skipped": 0}


def test_what_could_not_be_read_is_an_error(checked: Checked, written: Written) -> None:
    suites = ET.fromstring(written("junit", checked._replace(refusals=("'\x00<a>' is odd",))))
    assert counts(suites) == {"tests": 4, "failures": 1, "errors": 1, "skipped": 1}
    (case,) = suites[2]
    assert case[0].attrib["message"] == "'\\x00<a>' is odd"


def test_errors_that_are_not_shown_are_one_of_their_file(
    unselected: Checked, written: Written
) -> None:
    suites = ET.fromstring(written("junit", unselected))
    assert counts(suites) == {"tests": 1, "failures": 0, "errors": 1, "skipped": 0}
    ((case,),) = suites
    assert case.attrib["file"] == "a.yaml"
    assert case[0].attrib["message"].startswith("2 errors of other rules")
