"""Findings as annotations of GitHub Actions."""

from collections.abc import Callable

from forge_cli.app.validate import Report
from forge_cli.cli.formats import Checked
from forge_cli.manifest.findings import Finding, Place, Spot

Written = Callable[[str, Checked], str]


def test_an_annotation_has_its_place_and_what_to_type(checked: Checked, written: Written) -> None:
    assert written("github", checked).split("\n")[0] == (
        "::error file=a.yaml,line=4,endLine=4,col=7,endColumn=23,title=capability-exceeds-role::"
        "'repository-write' exceeds role 'reviewer'%0Awrite  capabilities: [repository-read]"
    )


def test_one_of_several_lines_has_no_columns(checked: Checked, written: Written) -> None:
    assert written("github", checked).split("\n")[1] == (
        "::warning file=a.yaml,line=7,endLine=9,title=unused-role::role 'idle' is never used"
    )


def test_what_could_not_be_read_and_errors_go_before_warnings(
    checked: Checked, written: Written
) -> None:
    first, _ = checked.reports
    later = first._replace(path="z.yaml")
    commands = written("github", Checked((first, later), ("'x' does not exist",))).split("\n")
    assert commands[0] == "::error title=forge::'x' does not exist"
    assert [command.partition(",")[0] for command in commands[1:]] == [
        "::error file=a.yaml",
        "::error file=z.yaml",
        "::warning file=a.yaml",
        "::warning file=z.yaml",
    ]


def test_nothing_in_a_name_or_message_is_a_command(written: Written) -> None:
    hostile = "x,y=1::\r\n::error::%0A\x1b]0;t\x07\u202e"
    finding = Finding("yaml-tag", Spot(place=Place(1, 1, 1, 2)), hostile, hostile)
    (command,) = written("github", Checked((Report(hostile, (finding,), b""),))).split("\n")
    assert command == (
        r"::error file=x%2Cy=1%3A%3A\r\n%3A%3Aerror%3A%3A%250A\x1b]0;t\x07\u202e,"
        "line=1,endLine=1,col=1,endColumn=2,title=yaml-tag::"
        r"x,y=1::\r%0A::error::%250A\x1b]0;t\x07\u202e%0A"
        r"x,y=1::\r%0A::error::%250A\x1b]0;t\x07\u202e"
    )


def test_errors_that_are_not_shown_are_one_of_their_file(
    unselected: Checked, written: Written
) -> None:
    command = written("github", unselected)
    assert command.startswith("::error file=a.yaml,title=forge::2 errors of other rules")
