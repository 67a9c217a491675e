"""How a comment is told that ignores nothing as it stands."""

import pytest

from forge_cli.manifest.check import check
from forge_cli.manifest.reading.ignores import MAX_IGNORES
from forge_cli.manifest.reading.source import parse

HELLO = "forge: 1\nwork_items: {a: {run: [x], capabilities: []}}"


def told(comment: str) -> list[tuple[str, str, str]]:
    found = check(parse(f"{HELLO}  {comment}\n".encode()), "x.yaml")
    assert {(each.rule, each.severity) for each in found} == {("bad-ignore", "warning")}
    return [(each.message, each.spot.note, each.hint) for each in found]


def test_a_comment_without_a_rule() -> None:
    assert told("# forge: ignore it is known") == [
        (
            "this comment names no rule to ignore",
            "",
            "write  # forge: ignore[unused-role] and here why",
        )
    ]


def test_a_comment_without_a_reason() -> None:
    assert told("# forge: ignore[unused-role, deadline-past]") == [
        (
            "this comment gives no reason, so it ignores nothing",
            "",
            "write  # forge: ignore[unused-role, deadline-past] and here why",
        )
    ]


def test_a_rule_that_does_not_exist() -> None:
    ((message, note, hint),) = told("# forge: ignore[unsed-role] it is known")
    assert message == "there is no rule 'unsed-role'"
    assert note == "did you mean 'unused-role'?"
    assert hint.startswith("can be ignored: ")
    assert "unused-role" in hint
    assert "dependency-cycle" not in hint


def test_an_error() -> None:
    ((message, _, _),) = told("# forge: ignore[dependency-cycle] it is known")
    assert message == "'dependency-cycle' is an error; only warnings can be ignored"


@pytest.mark.parametrize("rule", ["bad-ignore", "unused-ignore"])
def test_a_rule_about_these_comments(rule: str) -> None:
    ((message, _, _),) = told(f"# forge: ignore[{rule}] it is known")
    assert message == f"'{rule}' is about these comments, and none of them can ignore it"


def test_each_fault_of_a_comment_is_told() -> None:
    assert len(told("# forge: ignore[nothing-such, write-conflict]")) == 3


def test_too_many_comments_are_one_finding() -> None:
    comments = "\n# forge: ignore[unused-role] it is known" * (MAX_IGNORES + 9)
    ((message, _, _),) = told(comments)
    assert message.startswith("more than 1,000 such comments")
