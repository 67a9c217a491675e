"""Lab 07: routing, handlers, state and the verdict in one run."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NoReturn

import pytest

from forge_cli.multiagent.orchestrator import CollaborationRun, WorkItem, coordinate
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.roles import AgentRole
from forge_cli.multiagent.supervisor import WorkerStatus

Handlers = Mapping[str, Callable[[WorkItem], Json]]
Coordinate = Callable[[Sequence[WorkItem], Sequence[WorkerStatus], Handlers], CollaborationRun]

RESEARCHER = WorkerStatus(AgentRole("researcher", frozenset({"read"}), frozenset()), 0)
BUILDER = WorkerStatus(AgentRole("builder", frozenset({"read", "write"}), frozenset()), 0)
WORKERS = [BUILDER, RESEARCHER]

RESEARCH = WorkItem("research", frozenset({"read"}), required=True)
BUILD = WorkItem("build", frozenset({"write"}), required=True)


def done(item: WorkItem) -> Json:
    return {"done": item.item_id}


def broken(item: WorkItem) -> NoReturn:
    raise RuntimeError(f"{item.item_id} does not build")


def a_required_failure_fails_the_run(coordinating: Coordinate) -> None:
    run = coordinating([RESEARCH, BUILD], WORKERS, {"researcher": done, "builder": broken})
    assert run.status == "failed"


def test_orchestrator_routes_by_least_privilege_and_commits_results() -> None:
    run = coordinate([RESEARCH, BUILD], WORKERS, {"researcher": done, "builder": done})
    assert [tuple(pair) for pair in run.assignments] == [
        ("research", "researcher"),
        ("build", "builder"),
    ]
    assert (run.status, run.state_version) == ("complete", 2)


def test_required_agent_failure_fails_the_run() -> None:
    a_required_failure_fails_the_run(coordinate)


def test_missing_capability_is_not_silently_assigned() -> None:
    called: list[str] = []

    def record(item: WorkItem) -> Json:
        called.append(item.item_id)
        return None

    deploy = WorkItem("deploy", frozenset({"deploy"}), required=False)
    with pytest.raises(ValueError, match=r"no worker.*'deploy'"):
        coordinate([RESEARCH, deploy], WORKERS, {"researcher": record, "builder": record})
    assert called == []


def test_an_office_collects_evidence_and_writes_a_brief() -> None:
    items = [
        WorkItem("collect_evidence", frozenset({"read"}), required=True),
        WorkItem("generate_brief", frozenset({"write"}), required=True),
    ]
    run = coordinate(items, WORKERS, {"researcher": done, "builder": done})
    assert [role for _, role in run.assignments] == ["researcher", "builder"]
    assert (run.status, run.state_version) == ("complete", 2)


def without_required_items(
    items: Sequence[WorkItem], workers: Sequence[WorkerStatus], handlers: Handlers
) -> CollaborationRun:
    """The fault: which items are required is not recorded."""
    return coordinate([replace(item, required=False) for item in items], workers, handlers)


def test_unrecorded_required_items_are_caught() -> None:
    with pytest.raises(AssertionError):
        a_required_failure_fails_the_run(without_required_items)
