"""Order and longest way of a plan."""

from typing import Any

from forge_cli.app.course import critical_path, orders
from forge_cli.multiagent.plan import Item, Plan, Retry

HOUR = 3_600_000


def plan(*items: Item, **fields: Any) -> Plan:
    """A plan of these items."""
    return Plan("p", "0.0.0", {item.item_id: item for item in items}, {}, {}, **fields)


def test_an_item_comes_one_wave_behind_all_it_waits_for() -> None:
    found = orders(
        plan(
            Item("publish", depends_on=("test",), after=("lint",)),
            Item("build"),
            Item("lint"),
            Item("test", depends_on=("build",)),
        )
    )
    assert found == {"build": 1, "lint": 1, "test": 2, "publish": 3}


def test_the_critical_path_is_the_way_whose_timeouts_add_up_to_most() -> None:
    path = critical_path(
        plan(
            Item("a", timeout=HOUR),
            Item("b", timeout=5 * HOUR),
            Item("c", depends_on=("a", "b"), timeout=HOUR),
        )
    )
    assert path.items == ("b", "c")
    assert path.length == 6 * HOUR


def test_attempts_and_the_pauses_between_them_are_counted() -> None:
    path = critical_path(plan(Item("a", timeout=1000, retry=Retry(3, 2000, 2000))))
    assert path.length == 3 * 1000 + 2000 + 4000


def test_elements_run_in_as_many_rounds_as_there_are_slots_for() -> None:
    item = Item("a", pattern="each", for_each=[1, 2, 3, 4, 5], timeout=1000)
    assert critical_path(plan(item, max_concurrency=4)).length == 2000
    one_by_one = Item("a", pattern="each", for_each=[1, 2, 3], timeout=1000, max_parallel=1)
    assert critical_path(plan(one_by_one)).length == 3000


def test_sub_tasks_lengthen_the_item_that_they_are_of() -> None:
    path = critical_path(
        plan(
            Item("both", pattern="parallel", children=("both.a", "both.b")),
            Item("both.a", parent="both", timeout=1000),
            Item("both.b", parent="both", timeout=2000, depends_on=("both.a",)),
        )
    )
    assert path.items == ("both",)
    assert path.length == 3000


def test_a_plan_without_items_has_no_way() -> None:
    assert critical_path(plan()).items == ()
