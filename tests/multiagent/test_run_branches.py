"""What hangs on a branch that is undone: it ends before, and nothing of it starts any more."""

from typing import Any

from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Deadline, Handler, Item
from tests.multiagent.world import START, World, done, failed, item, plan

UNDO = Handler("command", {"argv": ["undo"]})


def undoing(*others: Item) -> World:
    """A group whose second part has failed, so that the first is undone; `others` hang on it."""
    items = [
        item("g", role_id="", pattern="parallel", children=("g.x", "g.y"), then="compensate"),
        item("g.x", parent="g", compensate=UNDO),
        item("g.y", parent="g", depends_on=("g.x",)),
        *others,
    ]
    world = World(plan(items, max_concurrency=2)).start()
    world.advance()
    world.answer("r/g.x/1", done())
    world.advance()
    world.answer("r/g.y/1", failed())
    return world


def hanging(item_id: str, **fields: Any) -> Item:
    return item(item_id, **{"depends_on": ("g.x",), "required": False, **fields})


def of(world: World, kind: str) -> list[str]:
    return [event.item for event in world.events if event.kind == kind]


def test_what_hangs_on_a_part_ends_before_anything_is_undone() -> None:
    world = undoing(hanging("b", compensate=UNDO), hanging("c"))
    world.advance()
    assert world.run.state.running["r/b/1"].cancelled
    assert not world.run.state.compensating
    world.answer("r/b/1", failed("cancelled"))
    world.go_on()
    assert of(world, "turn_started") == ["g.x", "g.y", "b"]
    assert of(world, "compensation_started") == ["b", "g.x"]
    assert (world.ends()["b"], world.ends()["c"]) == ("cancelled", "cancelled")


def test_what_could_start_while_a_branch_is_undone_does_not() -> None:
    items = [item("z"), hanging("b", depends_on=("g.x", "z")), item("c", depends_on=("z",))]
    world = undoing(*items)
    world.advance()
    assert world.run.state.compensating
    world.answer("r/z/1", done())
    world.go_on()
    assert (world.ends()["b"], world.ends()["c"]) == ("cancelled", "succeeded")
    assert world.reason("b") == "what it hangs on is undone with 'g'"


def test_a_group_that_hangs_on_it_does_not_wait_for_it() -> None:
    """Its second part waits for the item that is undone, which waits for the group's end."""
    group = hanging("h", role_id="", pattern="parallel", children=("h.x", "h.y"))
    parts = [item("h.x", parent="h"), item("h.y", parent="h", depends_on=("g",))]
    world = undoing(group, *parts)
    world.advance()
    world.answer("r/h.x/1", failed("cancelled"))
    world.go_on()
    assert of(world, "compensation_started") == ["g.x"]
    assert {world.ends()[name] for name in ("h", "h.x", "h.y")} == {"cancelled"}


def test_a_part_of_a_group_that_hangs_on_it_is_undone_first_if_it_failed() -> None:
    """The group's end waits for its part, which is undone by itself, and behind it in line."""
    group = hanging("h", role_id="", pattern="parallel", children=("h.x",))
    world = undoing(group, item("h.x", parent="h", then="compensate", compensate=UNDO))
    world.advance()
    world.answer("r/h.x/1", failed("cancelled"))
    world.go_on()
    assert of(world, "compensation_started") == ["h.x", "g.x"]
    assert world.ends()["h"] == "cancelled"


def test_a_part_of_another_group_that_waits_for_it_goes_on_waiting() -> None:
    group = item("h", role_id="", pattern="parallel", children=("h.x", "h.y"), required=False)
    parts = [item("h.x", parent="h"), item("h.y", parent="h", depends_on=("g",))]
    world = undoing(group, *parts)
    world.go_on()
    assert (world.ends()["h.x"], world.ends()["h.y"]) == ("succeeded", "blocked")


def test_what_begins_while_it_is_being_stopped_is_undone_as_well() -> None:
    world = undoing(hanging("b", compensate=Handler("restore", {})))
    world.advance()
    body = {"snapshot": "sha256:0", "files": 1}
    world.record(Event(START, "snapshot_taken", "b", "r/b/1", body))
    world.answer("r/b/1", done())
    world.go_on()
    assert of(world, "compensation_started") == ["b", "g.x"]


def test_what_hangs_on_a_branch_and_is_late_ends_once() -> None:
    world = undoing(hanging("b"), hanging("c", deadline=Deadline(within=5)))
    world.now += 5
    world.advance()
    world.answer("r/b/1", failed("cancelled"))
    world.go_on()
    assert of(world, "item_ended").count("c") == 1
    assert world.ends()["c"] == "cancelled"
