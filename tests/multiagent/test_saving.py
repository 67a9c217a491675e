"""Saved state in the log: of a list only what is new."""

import pytest

from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.saving import delta, restored


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (None, None, {}),
        (None, {"keep": 1}, {"state": {"keep": 1}}),
        ([1, 2], "x", {"state": "x"}),
        (None, [1], {"added": {"keep": 0, "add": [1]}}),
        ({"a": 1}, [1], {"added": {"keep": 0, "add": [1]}}),
        ([1, 2], [1, 2, 3], {"added": {"keep": 2, "add": [3]}}),
        ([1, 2], [1, 3], {"added": {"keep": 1, "add": [3]}}),
        ([1, 2], [1], {"added": {"keep": 1, "add": []}}),
        ([1, 2], [], {"added": {"keep": 0, "add": []}}),
    ],
)
def test_a_state_is_what_was_before_and_what_is_said(
    before: Json, after: Json, said: dict[str, Json]
) -> None:
    assert delta(before, after) == said
    assert restored(before, said) == after


def test_what_is_written_grows_with_what_is_new() -> None:
    state: list[str] = []
    written = 0
    for number in range(1_000):
        following = [*state, f"message {number}"]
        written += len(str(delta(state, following)))
        state = following
    assert written < 60_000
