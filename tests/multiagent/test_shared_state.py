"""Behaviour, section 3: versions, conflicts and the rules of merging."""

import threading
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from forge_cli.multiagent.plan import Merge
from forge_cli.multiagent.shared_state import SharedState, StateSnapshot, merge
from tests.programme import size


def test_the_state_starts_at_version_0() -> None:
    assert SharedState().read() == StateSnapshot(0, {})


def test_the_state_can_start_with_values() -> None:
    assert SharedState({"a": [1]}).read() == StateSnapshot(0, {"a": [1]})


def test_all_changes_land_in_one_version() -> None:
    state = SharedState({"kept": 1})
    assert state.update(0, {"a": 1, "b": 2}) == StateSnapshot(1, {"kept": 1, "a": 1, "b": 2})
    assert state.read() == StateSnapshot(1, {"kept": 1, "a": 1, "b": 2})


@pytest.mark.parametrize("expected", [0, 2, -1])
def test_any_other_version_is_a_conflict_that_names_both(expected: int) -> None:
    state = SharedState()
    state.update(0, {"a": 1})
    with pytest.raises(RuntimeError, match=f"conflict: .*version {expected}, .* version 1;"):
        state.update(expected, {"a": 2})


def test_a_conflict_changes_nothing() -> None:
    state = SharedState()
    state.update(0, {"a": 1})
    with pytest.raises(RuntimeError, match="conflict"):
        state.update(0, {"a": 2, "b": 3})
    assert state.read() == StateSnapshot(1, {"a": 1})


def test_an_update_without_changes_is_a_version_too() -> None:
    assert SharedState().update(0, {}).version == 1


def test_what_was_read_does_not_reach_back_into_the_state() -> None:
    state = SharedState({"a": {"b": [1]}})
    state.read().values["a"]["b"].append(2)
    state.update(0, {}).values["a"]["b"].append(2)
    assert state.read().values == {"a": {"b": [1]}}


def test_what_was_written_does_not_reach_back_into_the_state() -> None:
    changes, initial = {"a": [1]}, {"b": [1]}
    state = SharedState(initial)
    state.update(0, changes)
    changes["a"].append(2)
    initial["b"].append(2)
    assert state.read().values == {"a": [1], "b": [1]}


def test_a_snapshot_stays_as_it_was() -> None:
    state = SharedState({"a": 1})
    before = state.read()
    state.update(0, {"a": 2})
    assert before == StateSnapshot(0, {"a": 1})


def test_of_writers_that_race_for_a_version_one_wins() -> None:
    for _ in range(50):
        assert _winners_of_a_race(writers=4) == 1


def _winners_of_a_race(writers: int) -> int:
    state, barrier, landed = SharedState(), threading.Barrier(writers), []

    def write(number: int) -> None:
        barrier.wait()
        try:
            landed.append(state.update(0, {"writer": number}).version)
        except RuntimeError:
            return

    threads = [threading.Thread(target=write, args=(number,)) for number in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert state.read().version == 1
    return len(landed)


class _Meddling(int):
    """A version that lets another update in while it is being compared."""

    state: SharedState

    def __ne__(self, other: object) -> bool:
        self.state.update(0, {"first": True})
        return int.__ne__(self, other)


def test_an_update_that_lands_during_another_is_not_lost() -> None:
    state, version = SharedState(), _Meddling(0)
    version.state = state
    with pytest.raises(RuntimeError, match="conflict"):
        state.update(version, {"second": True})
    assert state.read() == StateSnapshot(1, {"first": True})


MERGES: list[tuple[Merge, Any, Any, Any]] = [
    ("reject", None, 1, 1),
    ("reject", [1], "text", "text"),
    ("append", None, [1], [1]),
    ("append", [1, 2], [2, 3], [1, 2, 2, 3]),
    ("append", [1], [], [1]),
    ("union", None, [1, 1], [1]),
    ("union", [2, 1], [3, 2], [2, 1, 3]),
    ("union", [{"a": 1, "b": [2]}], [{"b": [2], "a": 1}], [{"a": 1, "b": [2]}]),
    ("union", [1, "1", None], [True, 1.0, [1], {"1": 1}], [1, "1", None, True, [1], {"1": 1}]),
    ("union", [[], {}], [[], {}, False, 0], [[], {}, False, 0]),
]


@pytest.mark.parametrize(("kind", "current", "value", "merged"), MERGES)
def test_merging(kind: Merge, current: Any, value: Any, merged: Any) -> None:
    # Unlike ==, repr tells 1 from true and from 1.0.
    assert repr(merge(kind, current, value)) == repr(merged)


def test_merging_leaves_both_lists_as_they_were() -> None:
    current, value = [1], [2]
    merge("append", current, value)
    merge("union", current, value)
    assert (current, value) == ([1], [2])


@pytest.mark.parametrize("kind", ["append", "union"])
@pytest.mark.parametrize(
    ("current", "value", "types"),
    [
        ("text", [1], "text and a list"),
        ([1], {"a": 1}, "a list and an object"),
        ([1], True, "a list and a boolean"),
        ([1], None, "a list and null"),
        (1, 2.5, "a number and a number"),
    ],
)
def test_only_lists_are_joined_and_both_types_are_named(
    kind: Merge, current: Any, value: Any, types: str
) -> None:
    with pytest.raises(ValueError, match=f"'{kind}' joins lists, not {types};"):
        merge(kind, current, value)


class Updates(RuleBasedStateMachine):
    """Writers who read at some time and update at another; `landed` is what did, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.state = SharedState()
        self.landed: list[dict[str, int]] = []
        self.seen = [self.state.read()]

    @rule()
    def read(self) -> None:
        self.seen.append(self.state.read())

    @rule(data=st.data(), changes=st.dictionaries(st.sampled_from("abc"), st.integers()))
    def update(self, data: st.DataObject, changes: dict[str, int]) -> None:
        read = data.draw(st.sampled_from(self.seen))
        if read.version == len(self.landed):
            self.seen.append(self.state.update(read.version, changes))
            self.landed.append(dict(changes))
            return
        with pytest.raises(RuntimeError, match="conflict"):
            self.state.update(read.version, changes)

    @invariant()
    def every_snapshot_is_what_had_landed_until_then(self) -> None:
        for snapshot in (*self.seen, self.state.read()):
            values: dict[str, int] = {}
            for changes in self.landed[: snapshot.version]:
                values |= changes
            assert snapshot.values == values


TestUpdates = pytest.mark.programme(Updates.TestCase)
TestUpdates.settings = settings(
    max_examples=size("steps") // 40, stateful_step_count=40, deadline=None
)
