"""Which versions must rise for what changed, and when they have."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from forge_cli.manifest.comparison.compare import compare
from forge_cli.manifest.comparison.sides import Side
from forge_cli.manifest.comparison.versions import Due, dues

Data = dict[str, Any]
Dues = Callable[[Mapping[str, Any]], list[Due]]


@pytest.fixture
def due(base: Data, edited: Callable[..., Data], side: Callable[..., Side]) -> Dues:
    """The versions that edits make due."""

    def of(edits: Mapping[str, Any]) -> list[Due]:
        old, new = side(base), side(edited(edits))
        return dues(old, new, compare(old, new))

    return of


def test_nothing_is_due_where_nothing_changed(due: Dues) -> None:
    assert due({"version": "1.2.0", "roles.scribe.version": 3}) == []


@pytest.mark.parametrize(
    ("version", "shown"),
    [("1.2.3", False), ("1.3.0", False), ("2.0.0", True), ("3.1.0", True), ("0.9.0", False)],
)
def test_a_breaking_change_raises_the_first_number(version: str, shown: bool, due: Dues) -> None:
    (found,) = due({"version": version, "deadline": "5h"})
    assert (found.part, found.due, found.shown) == ("the manifest", "2.0.0", shown)


@pytest.mark.parametrize(
    ("version", "shown"), [("1.2.4", False), ("1.3.0", True), ("2.0.0", True), ("1.1.9", False)]
)
@pytest.mark.parametrize("edit", [("deadline", "3h"), ("work_items.patch.goal", "Else")])
def test_any_other_change_raises_the_second(
    version: str, shown: bool, edit: tuple[str, str], due: Dues
) -> None:
    (found,) = due({"version": version, edit[0]: edit[1]})
    assert (found.due, found.shown) == ("1.3.0", shown)


@pytest.mark.parametrize(("version", "shown"), [(7, False), (8, True), (6, False)])
def test_a_role_that_changed_has_another_number(version: int, shown: bool, due: Dues) -> None:
    edits = {"delegations.d-1.delegator": "agent:lead", "roles.lead.version": version}
    found = due({"roles.lead.instructions": "prompts/b.md", **edits})
    assert [(each.part, each.due, each.shown) for each in found] == [
        ("the manifest", "1.3.0", False),
        ("role 'lead'", "8", shown),
    ]


def test_a_schema_that_changed_has_another_name(due: Dues) -> None:
    wider = {"type": "object"}
    kept = due({"schemas.findings@3": wider})
    assert (kept[1].part, kept[1].due, kept[1].shown) == ("schema 'findings'", "4", False)
    assert kept[1].typed == "findings@4: ..."
    renamed = {"schemas.findings@3": ..., "schemas.findings@4": wider}
    risen = due({**renamed, "delegations.d-1.completion": "schema:findings@4"})
    assert (risen[1].new, risen[1].shown) == ("4", True)


def test_a_new_role_has_no_version_that_could_rise(due: Dues) -> None:
    handler = {"kind": "command", "argv": ["x"]}
    found = due({"roles.fourth": {"capabilities": [], "handler": handler}})
    assert [each.part for each in found] == ["the manifest"]
