"""When a comment is told that no warning needs."""

import pytest

from forge_cli.app.validate import check_file

NOW = 1_790_000_000_000
BEFORE = "2020-01-01T00:00:00Z"
ITEM = "work_items: {a: {run: [x], capabilities: []}}\n"
BUILDER = "  r: {capabilities: [], handler: {kind: command, argv: [x]}}"
ROLE = f"roles:\n{BUILDER}"


def rules(text: str, now: int | None = NOW) -> list[str]:
    return [each.rule for each in check_file("x.yaml", text.encode(), now).findings]


def test_one_of_two_rules_may_be_needed() -> None:
    text = f"forge: 1\n{ITEM}{ROLE}  # forge: ignore[unused-role, deadline-past] it is known\n"
    (finding,) = check_file("x.yaml", text.encode(), NOW).findings
    assert finding.message == "nothing to ignore: line 4 has no warning 'deadline-past'"
    assert finding.hint == "delete 'deadline-past' from the comment"
    assert finding.spot.place is not None
    assert finding.spot.place.column == text.splitlines()[3].index("deadline-past") + 1


def test_the_second_of_two_comments_for_one_warning_is_unused() -> None:
    comment = "# forge: ignore[unused-role] it is known"
    text = f"forge: 1\n{ITEM}roles:\n  {comment}\n{BUILDER}  {comment}\n"
    assert rules(text) == ["unused-ignore"]


def test_nothing_is_told_beside_errors() -> None:
    text = f"forge: 1\nzzz: 1\n{ITEM}# forge: ignore[unused-role] it is known\n"
    assert rules(text) == ["unknown-key"]


@pytest.mark.parametrize("now", [NOW, None])
def test_what_time_decides_is_not_told_without_a_time(now: int | None) -> None:
    text = f"forge: 1\n{ITEM}deadline: '{BEFORE}'  # forge: ignore[deadline-past] it is known\n"
    assert rules(text, now) == []
