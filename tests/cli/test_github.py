"""What GitHub Actions shows of a run."""

from pathlib import Path

import pytest

from forge_cli.cli.actions import add_outputs, add_to_summary, quoted
from forge_cli.cli.board import Ending
from forge_cli.cli.github import annotation, job_summary
from forge_cli.cli.terminal import Terminal
from forge_cli.errors import ForgeError
from forge_cli.multiagent.plan import Item


def told(item: Item, status: str, reason: str = "exit status 1") -> str:
    """The annotation for an item of `a,b.yaml` that ended so."""
    return annotation(
        item.item_id, item.required, Ending(status, "", reason), "a,b.yaml", Terminal()
    )


def test_lines_between_two_that_nobody_can_know_are_no_commands() -> None:
    lines = ["::error::x", "##[add-mask]y"]
    begin, *between, end = quoted(lines, {"GITHUB_ACTIONS": "true"})
    assert between == lines
    assert (begin[:17], end) == ("::stop-commands::", f"::{begin[17:]}::")
    assert [begin, *quoted(["other"], {"GITHUB_ACTIONS": "true"})].count(begin) == 1


def test_outside_of_a_step_lines_stay_as_they_are() -> None:
    assert list(quoted(["::error::x"], {})) == ["::error::x"]


def test_a_required_item_that_failed_or_was_denied_is_an_error() -> None:
    assert told(Item("test"), "failed") == (
        "::error file=a%2Cb.yaml,title=failed%3A test::exit status 1"
    )
    assert told(Item("test"), "denied").startswith("::error ")


def test_an_optional_item_or_one_that_waits_for_a_person_is_a_warning() -> None:
    assert told(Item("lint", required=False), "failed").startswith("::warning ")
    assert told(Item("test"), "paused").startswith("::warning ")


def test_a_denial_stands_beside_the_line_that_refused() -> None:
    ending = Ending("paused", "denied", "write 'a' is denied")
    found = annotation("fix", True, ending, "m.yaml", Terminal(), 28)
    assert found == "::warning file=m.yaml,line=28,title=denied%3A fix::write 'a' is denied"


@pytest.mark.parametrize("status", ["succeeded", "skipped", "blocked", "cancelled"])
def test_what_went_well_or_only_followed_has_no_annotation(status: str) -> None:
    assert told(Item("test"), status) == ""


def test_a_reason_cannot_begin_another_command() -> None:
    assert "\n" not in told(Item("test"), "failed", "one\n::error::two\r%0A")
    assert told(Item("test"), "failed", "100 %").endswith("::100 %25")


def test_the_job_summary_cannot_be_left_from_inside(tmp_path: Path) -> None:
    summary = job_summary([" item"], ["FAILED  ```", "# heading"])
    assert summary == "````text\n item\n\nFAILED  ```\n# heading\n````\n"
    add_to_summary({"GITHUB_STEP_SUMMARY": str(tmp_path / "summary")}, summary)
    assert (tmp_path / "summary").read_text() == summary


def test_a_job_summary_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    add_to_summary({"GITHUB_STEP_SUMMARY": str(tmp_path / "no" / "folder")}, "text")
    assert not (tmp_path / "no").exists()


def test_outputs_are_handed_to_later_steps_whatever_is_in_them(tmp_path: Path) -> None:
    outputs = {"text": "a\nend-of-output\nb", "list": [1, 2]}
    add_outputs({"GITHUB_OUTPUT": str(tmp_path / "out")}, outputs)
    assert (tmp_path / "out").read_text().splitlines() == [
        "text<<end-of-output-",
        "a",
        "end-of-output",
        "b",
        "end-of-output-",
        "list<<end-of-output",
        "[1, 2]",
        "end-of-output",
    ]


def test_outputs_that_cannot_be_handed_on_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(ForgeError, match=r"GITHUB_OUTPUT .* cannot be written: No such file"):
        add_outputs({"GITHUB_OUTPUT": str(tmp_path / "no" / "out")}, {"a": 1})
