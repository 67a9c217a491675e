"""What a change of each key means: its class, its direction, and the part at which it is told."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forge_cli.manifest import shape
from forge_cli.manifest.comparison.aspects import JUDGES
from forge_cli.manifest.comparison.changes import Change
from forge_cli.manifest.comparison.compare import compare
from forge_cli.manifest.comparison.of_items import item_parts
from forge_cli.manifest.comparison.of_roles import contract_parts, role_parts
from forge_cli.manifest.comparison.of_run import run_parts
from forge_cli.manifest.comparison.sides import Side

Data = dict[str, Any]
Compared = Callable[..., list[Change]]
Sides = Callable[..., Side]
Edit = Callable[..., Data]

WIDER = {
    "scope": ["files:src/**", "files:tests/**", "files:docs/**", "files:ci/**"],
    "budget": {"model_calls": 61, "cost_usd": 12},
    "deadline": "5h",
    "settings.hierarchical_max_depth": 4,
    "settings.dynamic_decomposition": True,
    "capabilities.search-logs": ["tool:logs/query", "tool:logs/delete"],
    "roles.lead.capabilities": [
        "network", "repository-read", "repository-write", "search-logs", "test-run",
    ],
    "roles.lead.scope": ["files:src/**", "files:tests/**", "files:docs/a.md"],
    "roles.lead.budget": {"model_calls": 21},
    "roles.lead.delegates.to": ["reviewer", "auditor", "scribe"],
    "roles.lead.delegates.capabilities": ["repository-read", "search-logs", "test-run"],
    "roles.lead.delegates.depth": 3,
    "roles.reviewer.handler.secrets": ["GH_TOKEN", "NPM_TOKEN"],
    "roles.reviewer.handler.max_usage": {"model_calls": 2},
    "delegations.d-1.authority": ["repository-read", "test-run"],
    "delegations.d-1.scope": ["files:src/**", "files:tests/**"],
    "delegations.d-1.deadline": "2h",
    "delegations.d-1.budget": {"model_calls": 7},
    "delegations.d-1.depth": 1,
    "work_items.patch.capabilities": ["repository-read", "repository-write", "test-run"],
    "work_items.patch.scope": ["files:src/**", "files:tests/**"],
    "work_items.patch.writes": ["files:src/**"],
    "work_items.patch.budget": {"model_calls": 10},
    "work_items.patch.deadline": "3h",
    "work_items.patch.timeout": "31m",
    "work_items.patch.secrets": ["GH_TOKEN", "NPM_TOKEN"],
}  # fmt: skip
"""One value that is wider than that of the manifest, for each dimension of a grant."""

LAXER = {
    "join.minimum_successes": 1,
    "settings.evidence": "digests",
    "state.findings.merge": "append",
    "schemas.findings@3.required": [],
    "delegations.d-1.criteria": [],
    "delegations.d-1.evidence": [],
    "work_items.patch.criteria": ["diff != ''"],
    "work_items.patch.evidence": ...,
    "work_items.patch.required": False,
    "work_items.patch.when": "inputs.issue > `3`",
    "work_items.test.risk": "read_only",
    "work_items.scan.approval": ...,
    "work_items.check.review": {"of": ["patch"], "quorum": 2},
    "work_items.drafts.sub_tasks.one.required": False,
}

LESS = {
    "outputs": ...,
    "roles.lead.outputs": ["diff"],
    "work_items.note": ...,
    "work_items.drafts.sub_tasks.two": ...,
    "work_items.scan.for_each": ["api"],
    "work_items.drafts.pattern": "joint",
    "work_items.patch.completion": "schema:findings@3",
    "delegations.d-1.return_channel": ...,
    "inputs.issue": ...,
    "inputs.change": {"type": "string"},
    "inputs.issue.type": "string",
    "inputs.other": {},
}

OTHERWISE = {
    "inputs.change.default": "the admin path",
    "context_packages.brief.summary.text": "Not done.",
    "roles.lead.handler.call": "handlers.py:review",
    "roles.lead.model_family": "gpt",
    "roles.lead.instructions": "prompts/other.md",
    "roles.reviewer.handler.argv": ["python3", "other.py"],
    "roles.reviewer.handler.result": "text",
    "roles.reviewer.handler.env": {"CI": "1"},
    "roles.reviewer.handler.grace": "9s",
    "delegations.d-1.purpose": "Look at the change",
    "delegations.d-1.context_package": ...,
    "delegations.d-1.on_failure": "fail",
    "work_items.patch.goal": "Make it",
    "work_items.patch.with": {"depth": 3},
    "work_items.patch.env": {"CI": "2"},
    "work_items.patch.on_failure": "fail",
    "work_items.patch.on_crash": "rerun",
    "work_items.patch.compensate": "restore",
    "work_items.note.after": ["patch"],
    "work_items.test.run": ["pytest"],
    "work_items.test.depends_on": ["patch", "review"],
    "work_items.scan.script": "grep -r y .",
    "work_items.talk.sub_tasks.one.posts": ["blue"],
    "work_items.talk.sub_tasks.one.listens": ["red"],
    "work_items.talk.channels": ["red", "blue", "green"],
    "work_items.design.rounds": 4,
    "work_items.scan.for_each": ["web", "api"],
    "outputs": {"findings": "${items.note.outputs.notes}"},
}

HARMLESS = {
    "name": "other",
    "labels": {"team": "web"},
    "env": ["CI", "HOME"],
    "secrets": ["GH_TOKEN", "NPM_TOKEN", "PYPI_TOKEN"],
    "settings.max_concurrency": 8,
    "settings.max_joint_agents": 9,
    "settings.broadcast_buffer_size": 9,
    "join.minimum_successes": 3,
    "delegations.d-1.parent_attempt": "attempt-31",
    "roles.fourth": {"capabilities": ["network"], "handler": {"kind": "command", "argv": ["x"]}},
    "work_items.more": {"run": ["echo", "more"], "capabilities": []},
    "work_items.scan.max_parallel": 1,
    "work_items.scan.for_each": ["api", "web", "admin"],
    "work_items.patch.labels": {},
    "inputs.other": {"default": 1},
    "outputs.diff": "${items.patch.outputs.diff}",
    "state.other": {"owner": "lead"},
    "schemas.other@1": {},
}  # fmt: skip


TOGETHER: list[tuple[dict[str, Any], set[str]]] = [
    (
        {"delegations.d-1.delegate": "agent:auditor", "state.findings.owner": "auditor"},
        {"delegate", "owner"},
    ),
    ({"work_items.review.delegation": ..., "work_items.review.role": "reviewer"}, {"routing"}),
    (
        {"settings.dynamic_decomposition": True, "work_items.note.complexity": "high"},
        {"complexity"},
    ),
    (
        {
            "settings.dynamic_decomposition": True,
            "work_items.note.complexity": "high",
            "work_items.note.max_steps": 30,
        },
        {"complexity"},
    ),
    (
        {
            "roles.scribe.delegates": {"to": ["reviewer"], "depth": 1},
            "delegations.d-1.delegator": "agent:scribe",
        },
        {"delegates", "delegator"},
    ),
    ({"work_items.test.sandbox": "landlock"}, {"sandbox"}),
]
"""Edits that are sound only together, and aspects that they show."""


@pytest.mark.parametrize(("edits", "aspects"), TOGETHER)
def test_what_changes_together_is_told_one_by_one(
    edits: dict[str, Any], aspects: set[str], changes: Compared
) -> None:
    assert aspects <= {change.aspect for change in changes(edits)}


@pytest.fixture
def told(changes: Compared) -> Callable[..., Change]:
    """The one change that an edit makes."""

    def of(path: str, value: Any) -> Change:
        (change,) = changes({path: value})
        return change

    return of


@pytest.mark.parametrize("path", WIDER)
def test_what_widens_a_grant_is_breaking(path: str, told: Callable[..., Change]) -> None:
    change = told(path, WIDER[path])
    assert (change.verdict.weight, change.verdict.direction) == ("breaking", "widened")


@pytest.mark.parametrize("path", WIDER)
def test_the_other_way_round_it_is_narrowed(
    path: str, base: Data, edited: Edit, side: Sides
) -> None:
    (change,) = compare(side(edited({path: WIDER[path]})), side(base))
    assert change.verdict.direction in ("narrowed", "changed")
    assert change.verdict.weight == ("behavioural" if "max_usage" in path else "compatible")


@pytest.mark.parametrize("path", LAXER)
def test_what_demands_less_of_work_is_breaking(path: str, changes: Compared) -> None:
    assert "breaking" in [change.verdict.weight for change in changes({path: LAXER[path]})]


@pytest.mark.parametrize("path", LESS)
def test_what_gives_or_takes_less_is_breaking(path: str, changes: Compared) -> None:
    assert "breaking" in [change.verdict.weight for change in changes({path: LESS[path]})]


@pytest.mark.parametrize("path", OTHERWISE)
def test_what_acts_otherwise_is_behavioural(path: str, changes: Compared) -> None:
    assert {change.verdict.weight for change in changes({path: OTHERWISE[path]})} == {"behavioural"}


@pytest.mark.parametrize("path", HARMLESS)
def test_the_rest_is_compatible(path: str, changes: Compared) -> None:
    assert {change.verdict.weight for change in changes({path: HARMLESS[path]})} == {"compatible"}


SCHEMA = Path(shape.__file__).parent / "data" / "manifest.schema.json"
SILENT = {
    "forge": "there is one version of the language",
    "version": "what must rise for other changes is none itself",
    "description": "words for people",
    "id": "equals the name",
    "include": "what is included is compared, not from where",
}
"""Keys whose change means nothing by itself, and why."""


@pytest.mark.parametrize(
    "definition",
    ["", "Item", "SubTask", "Role", "Delegation", "Delegates", "Settings", "Input", "Join"],
)
def test_every_key_of_the_language_has_a_case_here(definition: str) -> None:
    schema = json.loads(SCHEMA.read_text("utf-8"))
    keys = set((schema["$defs"][definition] if definition else schema)["properties"])
    together = [path for edits, _ in TOGETHER for path in edits]
    cases = [*WIDER, *LAXER, *LESS, *OTHERWISE, *HARMLESS, *together]
    shown = {part for path in cases for part in path.split(".")}
    assert sorted(keys - shown - SILENT.keys()) == []


def test_every_aspect_of_a_manifest_has_a_way_to_be_compared(base: Data, side: Sides) -> None:
    made = side(base)
    parts = [*run_parts(made), *role_parts(made), *contract_parts(made), *item_parts(made)]
    assert {aspect for part in parts for aspect in part.facts} == set(JUDGES)
