"""Lab 03: nobody writes over what they have not seen."""

from collections.abc import Mapping

import pytest

from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.shared_state import SharedState, StateSnapshot


def a_stale_update_conflicts(state: SharedState) -> None:
    read = state.read().version
    state.update(read, {"code": "changed by the builder"})
    with pytest.raises(RuntimeError, match="conflict"):
        state.update(read, {"code": "changed by the tester"})
    assert state.read().values == {"code": "changed by the builder"}


def test_update_requires_the_version_that_was_read() -> None:
    a_stale_update_conflicts(SharedState())


def test_successful_updates_increment_version() -> None:
    state = SharedState()
    versions = [state.update(version, {"step": version}).version for version in range(3)]
    assert versions == [1, 2, 3]
    assert state.read() == StateSnapshot(3, {"step": 2})


def test_snapshots_do_not_alias_mutable_state() -> None:
    state = SharedState()
    state.update(0, {"files": {"changed": ["app.js"]}})
    state.read().values["files"]["changed"].append("secrets.js")
    assert state.read().values == {"files": {"changed": ["app.js"]}}


def test_of_two_researchers_of_an_office_that_read_version_0_one_lands() -> None:
    state = SharedState()
    first, second = state.read(), state.read()
    state.update(first.version, {"research": "found"})
    with pytest.raises(RuntimeError, match="conflict"):
        state.update(second.version, {"review": "done"})
    assert state.read() == StateSnapshot(1, {"research": "found"})


class LastWriteWins(SharedState):
    """The fault: the expected version is ignored."""

    def update(self, expected_version: int, changes: Mapping[str, Json]) -> StateSnapshot:
        return super().update(self.read().version, changes)


def test_an_ignored_version_is_caught() -> None:
    with pytest.raises(pytest.fail.Exception):
        a_stale_update_conflicts(LastWriteWins())
