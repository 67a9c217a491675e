"""The coordinated run beyond what the lab shows."""

import pytest

from forge_cli.multiagent.orchestrator import CollaborationRun, WorkItem, coordinate
from forge_cli.multiagent.roles import AgentRole
from forge_cli.multiagent.supervisor import WorkerStatus

READER = AgentRole("reader", frozenset({"read"}), frozenset({"notes"}))
WRITER = AgentRole("writer", frozenset({"read", "write"}), frozenset({"draft"}))
WORKERS = [WorkerStatus(READER, 0), WorkerStatus(WRITER, 0)]


def read(item_id: str, required: bool = True) -> WorkItem:
    return WorkItem(item_id, frozenset({"read"}), required)


def test_items_run_in_order_and_each_success_is_one_version() -> None:
    seen: list[str] = []
    items = [read("b"), WorkItem("a", frozenset({"write"}), True)]
    handlers = {
        "reader": lambda w: seen.append(w.item_id),
        "writer": lambda w: seen.append(w.item_id),
    }
    run = coordinate(items, WORKERS, handlers)
    assert seen == ["b", "a"]
    assert run == CollaborationRun("complete", (("b", "reader"), ("a", "writer")), 2)


def test_loads_of_workers_stay_as_given() -> None:
    twin = AgentRole("second", frozenset({"read"}), frozenset({"notes"}))
    workers = [WorkerStatus(READER, 1), WorkerStatus(twin, 0)]
    run = coordinate([read("a"), read("b")], workers, {"second": lambda w: w})
    assert run.assignments == (("a", "second"), ("b", "second"))


def test_an_exception_is_a_failed_outcome_and_the_rest_goes_on() -> None:
    def fail(work: WorkItem) -> None:
        raise RuntimeError(work.item_id)

    items = [read("a", required=False), WorkItem("b", frozenset({"write"}), True)]
    run = coordinate(items, WORKERS, {"reader": fail, "writer": lambda w: w})
    assert (run.status, run.state_version) == ("degraded", 1)


def test_a_missing_handler_is_a_failed_outcome() -> None:
    assert coordinate([read("a")], WORKERS, {}).status == "failed"


def test_no_capable_worker_is_refused_before_any_handler_runs() -> None:
    seen: list[WorkItem] = []
    items = [read("a"), WorkItem("b", frozenset({"network"}), True)]
    with pytest.raises(ValueError, match=r"no worker.*network"):
        coordinate(items, WORKERS, {"reader": seen.append})
    assert seen == []


def test_two_items_of_one_id_are_refused() -> None:
    with pytest.raises(ValueError, match="two items are named 'a'"):
        coordinate([read("a"), read("a")], WORKERS, {})


def test_no_items_are_complete() -> None:
    assert coordinate([], WORKERS, {}) == CollaborationRun("complete", (), 0)
