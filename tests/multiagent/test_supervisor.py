"""Behaviour, section 5: who is chosen."""

import pytest

from forge_cli.multiagent.roles import AgentRole
from forge_cli.multiagent.supervisor import WorkerStatus, choose_worker


def worker(role_id: str, capabilities: str, load: int = 0) -> WorkerStatus:
    return WorkerStatus(AgentRole(role_id, frozenset(capabilities.split()), frozenset()), load)


READER = worker("reader", "read", load=9)
EDITOR = worker("editor", "read write", load=5)
ADMIN = worker("admin", "read write process")


def test_only_those_who_cover_the_need_are_candidates() -> None:
    assert choose_worker({"write", "process"}, [READER, EDITOR, ADMIN]) == ADMIN.role


def test_fewest_capabilities_come_before_the_lowest_load() -> None:
    assert choose_worker({"read"}, [ADMIN, EDITOR, READER]) == READER.role


def test_at_equal_privilege_the_lowest_load_wins() -> None:
    busy, idle = worker("a", "read write", 2), worker("b", "read search", 1)
    assert choose_worker({"read"}, [busy, idle]) == idle.role


def test_at_equal_load_the_role_id_decides() -> None:
    first, second = worker("a", "read", 1), worker("b", "read", 1)
    assert choose_worker({"read"}, [second, first]) == first.role


def test_a_need_of_nothing_goes_to_the_least_privileged() -> None:
    assert choose_worker(set(), [EDITOR, READER]) == READER.role


def test_capabilities_that_nobody_holds_are_named() -> None:
    with pytest.raises(ValueError, match="no worker") as error:
        choose_worker({"read", "deploy", "audit"}, [READER, ADMIN])
    assert str(error.value) == (
        "no worker holds 'audit', 'deploy', 'read': nobody holds 'audit', 'deploy'"
    )


def test_without_workers_that_is_said() -> None:
    with pytest.raises(ValueError, match="no worker holds 'read': there are no workers"):
        choose_worker({"read"}, [])


def test_if_each_is_held_by_somebody_the_gaps_of_the_closest_are_named() -> None:
    workers = [worker("a", "read"), worker("b", "write"), worker("c", "other"), worker("d", "x")]
    with pytest.raises(ValueError, match="no worker") as error:
        choose_worker({"read", "write"}, workers)
    assert str(error.value) == (
        "no worker holds 'read', 'write' together: 'a' lacks 'write'; 'b' lacks 'read';"
        " 'c' lacks 'read', 'write'; and 1 more"
    )


def test_all_gaps_of_a_few_workers_are_named() -> None:
    with pytest.raises(ValueError, match=r"together: 'a' lacks 'write'; 'b' lacks 'read'$"):
        choose_worker({"read", "write"}, [worker("b", "write"), worker("a", "read")])
