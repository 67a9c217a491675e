"""Limits from the environment: they lower what the manifest states, and set what it leaves out."""

import pytest

from forge_cli.app.limits import limited_as, lowered
from forge_cli.errors import ForgeError
from forge_cli.multiagent.plan import Plan
from tests.multiagent.world import item, plan

SIXTY_FOUR = {"broadcast_buffer_size": 64}


def joint(count: int) -> Plan:
    names = tuple(f"g.{number}" for number in range(count))
    parts = [item(name, parent="g") for name in names]
    return plan([item("g", pattern="joint", children=names), *parts])


def test_a_joint_item_with_more_sub_tasks_than_the_environment_allows_is_refused() -> None:
    with pytest.raises(ForgeError, match="is 2, joint item 'g' has 3 sub-tasks; split the item"):
        lowered(joint(3), {}, None, {"FORGE_MAX_JOINT_AGENTS": "2"})


def test_one_with_as_many_is_not() -> None:
    found = joint(2)
    assert lowered(found, {"max_joint_agents": 3}, None, {"FORGE_MAX_JOINT_AGENTS": "2"}) is found


def test_the_environment_cannot_let_more_agents_share_a_board_than_the_manifest() -> None:
    with pytest.raises(ForgeError, match="is 9, the manifest's max_joint_agents is 4; only"):
        lowered(joint(1), {"max_joint_agents": 4}, None, {"FORGE_MAX_JOINT_AGENTS": "9"})


@pytest.mark.parametrize(
    ("stated", "wanted", "size"), [(64, 8, 8), (0, 8, 8), (None, 500, 500), (None, 0, 0), (0, 0, 0)]
)
def test_the_environment_lowers_the_buffer_or_sets_it(
    stated: int | None, wanted: int, size: int
) -> None:
    settings = {} if stated is None else {"broadcast_buffer_size": stated}
    found = lowered(joint(1), settings, None, {"FORGE_BROADCAST_BUFFER_SIZE": str(wanted)})
    assert found.broadcast_buffer == size


@pytest.mark.parametrize(("wanted", "named"), [("65", "65"), ("0", "0, so without a limit")])
def test_the_environment_cannot_raise_the_buffer(wanted: str, named: str) -> None:
    with pytest.raises(ForgeError, match=f"is {named}, the manifest's broadcast_buffer_size is 64"):
        lowered(joint(1), SIXTY_FOUR, None, {"FORGE_BROADCAST_BUFFER_SIZE": wanted})


@pytest.mark.parametrize("text", ["-1", "many", "1e3", "9" * 10])
def test_what_is_no_number_is_refused_by_name(text: str) -> None:
    with pytest.raises(ForgeError, match="which is not a whole number of sub-tasks"):
        lowered(joint(1), {}, None, {"FORGE_MAX_JOINT_AGENTS": text})


def test_the_environment_lowers_the_depth_and_cannot_raise_it() -> None:
    lower = {"FORGE_HIERARCHICAL_MAX_DEPTH": "1"}
    stated = {"hierarchical_max_depth": 2}
    assert lowered(joint(1), stated, None, lower).contracts["run"].depth == 1
    with pytest.raises(ForgeError, match="is 3, the manifest's hierarchical_max_depth is 2; only"):
        lowered(joint(1), stated, None, {"FORGE_HIERARCHICAL_MAX_DEPTH": "3"})


@pytest.mark.parametrize(("said", "most"), [("", 7), ("true", 7), ("false", 0)])
def test_the_environment_can_let_no_item_insert_steps(said: str, most: int) -> None:
    found = plan([item("a", max_steps=7)])
    environment = {"FORGE_DYNAMIC_DECOMPOSITION_ENABLED": said}
    settings = {"dynamic_decomposition": True}
    assert lowered(found, settings, None, environment).items["a"].max_steps == most


@pytest.mark.parametrize(
    ("said", "reason"), [("true", "switched off here"), ("1", "true or false")]
)
def test_the_environment_cannot_let_items_insert_steps(said: str, reason: str) -> None:
    environment = {"FORGE_DYNAMIC_DECOMPOSITION_ENABLED": said}
    with pytest.raises(ForgeError, match=reason):
        lowered(joint(1), {"dynamic_decomposition": False}, None, environment)


def test_a_run_that_goes_on_keeps_the_limits_that_it_was_given() -> None:
    stated = plan([item("a", max_steps=7)], max_concurrency=4)
    environment = {
        "FORGE_MAX_CONCURRENCY": "2",
        "FORGE_BROADCAST_BUFFER_SIZE": "8",
        "FORGE_HIERARCHICAL_MAX_DEPTH": "1",
        "FORGE_DYNAMIC_DECOMPOSITION_ENABLED": "false",
    }
    begun = lowered(stated, {}, None, environment)
    assert begun.items["a"].max_steps == 0
    assert limited_as(stated, begun) == begun
    assert limited_as(stated, stated) == stated
