"""Which findings are told when rules are selected or ignored."""

import pytest

from forge_cli.app.selection import Choice, rules, warnings
from forge_cli.app.validate import Report
from forge_cli.manifest.findings import Finding, Place, Spot

PLACE = Spot(place=Place(1, 1, 1, 2))
ERROR = Finding("unknown-key", PLACE, "an error")
WARNING = Finding("unused-role", PLACE, "a warning", severity="warning")
OTHER = Finding("deadline-past", PLACE, "another", severity="warning")
REPORT = Report("a.yaml", (ERROR, WARNING), b"", {}, ((OTHER, "why"),))


@pytest.mark.parametrize(
    ("selected", "ignored", "told"),
    [
        ((), (), ["unknown-key", "unused-role", "deadline-past"]),
        (("unused-role",), (), ["unused-role"]),
        (("deadline-past",), (), ["deadline-past"]),
        ((), ("unused-role",), ["unknown-key", "deadline-past"]),
        (("unused-role",), ("unused-role",), []),
        ((), ("unknown-key",), ["unknown-key", "unused-role", "deadline-past"]),
    ],
)
def test_selected_rules_are_told_of_without_the_ignored(
    selected: tuple[str, ...], ignored: tuple[str, ...], told: list[str]
) -> None:
    report = Choice(selected, ignored).told(REPORT)
    found = [*report.findings, *(finding for finding, _ in report.ignored)]
    assert [finding.rule for finding in found] == told


def test_rules_are_separated_by_commas() -> None:
    assert rules("unused-role, unknown-key") == ("unused-role", "unknown-key")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("unusd-role", "there is no rule 'unusd-role'; did you mean 'unused-role'?"),
        ("zzz", "there is no rule 'zzz'; docs/rules.md lists them all"),
        ("unused-role,", "there is no rule ''; docs/rules.md lists them all"),
    ],
)
def test_what_is_no_rule_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match="no rule") as refusal:
        rules(text)
    assert str(refusal.value) == sentence


def test_only_warnings_can_be_ignored() -> None:
    assert warnings("unused-role,deadline-past") == ("unused-role", "deadline-past")
    with pytest.raises(ValueError, match=r"'unknown-key' is an error; .* ignored: .*unused-role"):
        warnings("unused-role,unknown-key")
