"""Lab 05: work goes to the least privileged worker that can do it."""

from collections.abc import Callable, Iterable

import pytest

from forge_cli.multiagent.roles import AgentRole
from forge_cli.multiagent.supervisor import WorkerStatus, choose_worker

Choose = Callable[[Iterable[str], Iterable[WorkerStatus]], AgentRole]


def worker(role_id: str, capabilities: set[str], load: int) -> WorkerStatus:
    return WorkerStatus(AgentRole(role_id, frozenset(capabilities), frozenset()), load)


READER = worker("reader", {"read"}, load=2)
EDITOR = worker("editor", {"read", "write"}, load=1)
ADMIN = worker("admin", {"read", "write", "process"}, load=0)


def the_least_privileged_is_preferred(choosing: Choose) -> None:
    assert choosing({"read"}, [ADMIN, EDITOR, READER]) == READER.role


def test_supervisor_prefers_least_privileged_capable_worker() -> None:
    the_least_privileged_is_preferred(choose_worker)


def test_load_breaks_tie_between_equally_privileged_workers() -> None:
    busy = worker("builder-a", {"read", "write"}, load=3)
    idle = worker("builder-b", {"read", "write"}, load=1)
    assert choose_worker({"write"}, [busy, idle]) == idle.role


def test_missing_capability_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no worker.*'deploy'"):
        choose_worker({"read", "deploy"}, [READER, EDITOR, ADMIN])


@pytest.mark.parametrize(
    ("need", "chosen"), [("read", READER), ("write", EDITOR), ("process", ADMIN)]
)
def test_a_song_is_read_edited_and_published_by_the_least_that_can(
    need: str, chosen: WorkerStatus
) -> None:
    assert choose_worker({need}, [READER, EDITOR, ADMIN]) == chosen.role


def by_load_and_id_only(
    required_capabilities: Iterable[str], workers: Iterable[WorkerStatus]
) -> AgentRole:
    """The fault: privilege plays no part."""
    able = [w for w in workers if w.role.capabilities.issuperset(required_capabilities)]
    return min(able, key=lambda w: (w.active_tasks, w.role.role_id)).role


def test_routing_by_load_only_is_caught() -> None:
    with pytest.raises(AssertionError):
        the_least_privileged_is_preferred(by_load_and_id_only)
