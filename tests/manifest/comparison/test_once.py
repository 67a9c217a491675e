"""What is no change at all, and that each change is told once, where it is made."""

from collections.abc import Callable
from typing import Any

import pytest
import yaml

from forge_cli.manifest.comparison.changes import Change
from forge_cli.manifest.comparison.compare import compare
from forge_cli.manifest.comparison.sides import Side

Data = dict[str, Any]
Compared = Callable[..., list[Change]]
Sides = Callable[..., Side]
Edit = Callable[..., Data]


def told(changes: list[Change]) -> list[tuple[str, str]]:
    """The part and the aspect of each change."""
    return sorted((change.part, change.aspect) for change in changes)


def test_a_manifest_does_not_differ_from_itself(base: Data, side: Sides) -> None:
    assert compare(side(base), side(base)) == []


def reordered(value: Any) -> Any:
    """The same with the keys of every mapping the other way round."""
    if isinstance(value, dict):
        return {key: reordered(value[key]) for key in reversed(value)}
    return [reordered(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("flow", [True, False, None])
def test_layout_and_the_order_of_keys_are_no_change(
    flow: bool | None, base: Data, side: Sides
) -> None:
    text = yaml.safe_dump(reordered(base), default_flow_style=flow, sort_keys=False, width=60)
    assert compare(side(base), side("# A comment.\n" + text)) == []


SAME = {
    "a default that is written": {
        "settings.dynamic_decomposition": False,
        "inputs.issue.type": "integer",
        "work_items.test.required": True,
        "work_items.note.on_failure": "fail",
        "work_items.check.timeout": "1h",
        "work_items.check.scope": ["files:src/**", "files:tests/**"],
        "work_items.note.role": "scribe",
        "roles.scribe.version": 1,
        "roles.scribe.scope": ["files:docs/**", "files:src/**", "files:tests/**"],
        "roles.scribe.handler.grace": "5s",
        "roles.lead.delegates.depth": 2,
    },
    "another way to write it": {
        "deadline": "240m",
        "budget": {"cost_usd": "12.00", "model_calls": 60},
        "delegations.d-1.delegator": "agent:lead",
        "delegations.d-1.deadline": "1h30m",
        "roles.lead.outputs": ["diff", "plan"],
        "roles.lead.scope": ["files:tests/**", "files:src/**", "files:src/auth/**"],
        "roles.reviewer.capabilities": ["test-run", "repository-read"],
        "work_items.check.depends_on": ["patch"],
        "work_items.patch.on_failure": {
            "retry": {"max_attempts": 2, "backoff": "1s", "factor": 1},
            "then": "escalate",
        },
        "schemas.findings@3": {
            "required": ["findings"],
            "properties": {"findings": {"maxItems": 9, "type": "array"}},
            "type": "object",
        },
    },
    "a single attempt": {"work_items.note.on_failure": {"retry": {"max_attempts": 1}}},
    "text about it": {"description": "What it is for.", "inputs.change.description": "What."},
    "other versions": {"version": "2.0.0", "roles.scribe.version": 2},
}


@pytest.mark.parametrize("what", SAME)
def test_what_comes_to_the_same_is_no_change(what: str, changes: Compared) -> None:
    assert told(changes(SAME[what])) == []


def test_a_change_of_a_role_is_not_told_again_of_its_items(changes: Compared) -> None:
    wider = ["files:src/**", "files:tests/**", "files:docs/**"]
    edits = {"roles.reviewer.capabilities": ["network", "repository-read", "test-run"]}
    assert told(changes(edits)) == [("role 'reviewer'", "capabilities")]
    assert told(changes({"roles.scribe.scope": wider[:1]})) == [("role 'scribe'", "scope")]


def test_a_change_of_the_run_is_not_told_again_of_who_inherits_it(changes: Compared) -> None:
    edits = {"scope": ["files:src/**", "files:tests/**"]}
    assert told(changes(edits)) == [("the manifest", "scope")]
    assert told(changes({"deadline": "3h"})) == [("the manifest", "deadline")]
    assert told(changes({"budget": {"model_calls": 70}})) == [("the manifest", "budget")]


def test_a_change_of_a_contract_is_not_told_again_of_its_items(changes: Compared) -> None:
    edits = {"delegations.d-1.criteria": [], "delegations.d-1.on_failure": "fail"}
    contract = "delegation 'd-1'"
    assert told(changes(edits)) == [(contract, "criteria"), (contract, "on_failure")]


def test_a_change_of_a_schema_is_not_told_again_of_who_names_it(changes: Compared) -> None:
    edits = {"schemas.findings@3": ..., "schemas.findings@4": {"type": "object"}}
    (change,) = changes({**edits, "delegations.d-1.completion": "schema:findings@4"})
    assert (change.part, change.verdict.direction) == ("schema 'findings'", "loosened")


def test_what_sub_tasks_inherit_is_told_of_the_item_above(changes: Compared) -> None:
    assert told(changes({"work_items.drafts.capabilities": []})) == [
        ("item 'drafts'", "capabilities")
    ]


def test_what_an_item_no_longer_narrows_is_told_of_the_item(changes: Compared) -> None:
    (change,) = changes({"work_items.patch.capabilities": ...})
    assert (change.part, change.aspect, change.verdict.direction) == (
        "item 'patch'",
        "capabilities",
        "widened",
    )
    assert change.side == "old"


def test_an_order_by_a_reference_is_told_as_the_reference(changes: Compared) -> None:
    edits = {"work_items.note.with": {"diff": "${items.patch.outputs.diff}"}}
    assert told(changes(edits)) == [("item 'note'", "inputs")]


def test_what_follows_from_the_grant_is_told_as_the_grant(edited: Edit, side: Sides) -> None:
    edits = {"work_items.patch.writes": ...}
    old = edited(edits)
    new = edited({**edits, "work_items.patch.capabilities": ["repository-read"]})
    assert told(compare(side(old), side(new))) == [("item 'patch'", "capabilities")]


def test_one_line_that_several_sub_tasks_have_is_told_once(
    base: Data, edited: Edit, side: Sides
) -> None:
    old = edited({"work_items.drafts.with": {"x": 1}})
    new = edited({"work_items.drafts.with": {"x": 2}})
    assert told(compare(side(old), side(new))) == [("item 'drafts'", "inputs")]


def test_the_file_behind_a_handler_is_part_of_it(base: Data, side: Sides) -> None:
    old = side(base, {"handlers.py": b"def supervise(turn): ...\n"})
    new = side(base, {"handlers.py": b"def supervise(turn): 1\n"})
    (change,) = compare(old, new)
    assert (change.part, change.aspect) == ("role 'lead'", "handler")
    assert change.verdict.weight == "behavioural"
    assert change.verdict.witness == "other bytes in 'handlers.py'"


def test_a_file_that_changed_is_told_beside_what_else_changed(
    base: Data, edited: Edit, side: Sides
) -> None:
    old = side(base, {"handlers.py": b"def supervise(turn): ...\n"})
    edits = {"roles.lead.handler.max_usage": {"model_calls": 3}}
    new = side(edited(edits), {"handlers.py": b"def supervise(turn): 1\n"})
    (change,) = compare(old, new)
    assert change.verdict.weight == "breaking"
    assert "other bytes in 'handlers.py'" in change.verdict.witness
