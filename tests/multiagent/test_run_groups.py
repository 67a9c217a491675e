"""Items with sub-tasks in a run: what happens to these before, while and after it is opened."""

from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Deadline, Item, Retry
from tests.multiagent.world import START, World, done, failed, item, plan, play, role


def group(*names: str, **fields: object) -> Item:
    children = tuple(f"g.{name}" for name in names)
    return item("g", role_id="", pattern="parallel", children=children, **fields)


def sub(name: str, **fields: object) -> Item:
    return item(f"g.{name}", parent="g", **fields)


class TestBeforeItOpens:
    def test_a_sub_task_whose_need_was_lost_is_blocked_and_the_others_still_run(self) -> None:
        items = [
            item("lost", required=False),
            item("first"),
            group("a", "b", depends_on=("first",), required=False),
            sub("a", depends_on=("lost",), required=False),
            sub("b"),
        ]
        world = play(items, {"lost": failed()})
        assert world.started() == ["lost", "first", "g.b"]
        assert world.ends()["g.a"] == "blocked"
        assert world.run.state.nodes["g"].output == {"a": None, "b": {"result": 1}}

    def test_it_ends_at_once_if_none_of_its_sub_tasks_is_left(self) -> None:
        items = [
            item("lost", required=False),
            item("first"),
            group("a", depends_on=("first",), required=False),
            sub("a", depends_on=("lost",)),
        ]
        world = play(items, {"lost": failed()})
        assert world.ends()["g"] == "failed"
        assert world.reason("g") == "'g.a' ended blocked"

    def test_a_sub_task_waits_with_it_whatever_its_own_deadline(self) -> None:
        items = [
            item("first"),
            group("a", "b", depends_on=("first",)),
            sub("a", deadline=Deadline(within=10), required=False),
            sub("b"),
        ]
        world = World(plan(items)).start()
        world.advance()
        world.now = START + 10
        world.advance()
        assert world.ends()["g.a"] == "waiting"
        world.answer("r/first/1", done())
        world.advance()
        assert world.ends()["g.a"] == "failed"
        assert world.ends()["g.b"] == "running"

    def test_one_that_escalates_keeps_its_sub_tasks_for_who_decides(self) -> None:
        items = [
            item("first"),
            group("a", after=("first",), deadline=Deadline(within=10), then="escalate"),
            sub("a"),
        ]
        world = World(plan(items)).start()
        world.advance()
        world.now = START + 10
        world.advance()
        world.answer("r/first/1", done())
        world.advance()
        assert world.ends() == {"first": "succeeded", "g": "paused", "g.a": "waiting"}
        assert world.status == "paused"


class TestStopping:
    def items(self, **fields: object) -> list[Item]:
        each = {"pattern": "each", "for_each": [1, 2], **fields}
        return [group("a", "e", required=False), sub("a"), sub("e", **each), item("z")]

    def test_elements_of_a_sub_task_are_cancelled_with_it(self) -> None:
        world = World(plan(self.items(), max_concurrency=3)).start()
        world.advance()
        world.answer("r/g.a/1", failed())
        world.advance()
        assert [e.attempt for e in world.events if e.kind == "turn_cancelled"] == ["r/g.e.0/1"]
        assert world.ends()["g.e.1"] == "cancelled"

    def test_elements_of_a_sub_task_that_is_stopped_are_not_tried_again(self) -> None:
        world = World(plan(self.items(retry=Retry(3)), max_concurrency=4)).start()
        world.advance()
        world.answer("r/g.a/1", failed())
        world.answer("r/g.e.0/1", failed())
        assert world.ends()["g.e.0"] == "failed"

    def test_no_further_element_of_a_sub_task_that_is_stopped_is_released(self) -> None:
        world = World(plan(self.items(max_parallel=1), max_concurrency=4)).start()
        world.advance()
        world.answer("r/g.a/1", failed())
        world.answer("r/g.e.0/1", done())
        world.advance()
        assert world.ends()["g.e.1"] == "cancelled"
        assert "g.e.1" not in world.started()

    def test_nothing_is_cancelled_twice_when_a_stop_meets_another_above_it(self) -> None:
        world = World(plan(self.items(), max_concurrency=4)).start()
        world.advance()
        world.answer("r/g.e.0/1", failed())
        world.answer("r/g.a/1", failed())
        world.advance()
        assert [e.attempt for e in world.events if e.kind == "turn_cancelled"] == ["r/g.e.1/1"]

    def test_nothing_is_ended_twice_when_a_stop_meets_a_deadline(self) -> None:
        late = sub("b", deadline=Deadline(within=10))
        world = World(plan([group("a", "b"), sub("a"), late])).start()
        world.advance()
        world.now = START + 10
        world.answer("r/g.a/1", failed())
        world.advance()
        assert [e.item for e in world.events if e.kind == "item_ended"] == ["g.b", "g"]


def test_elements_that_ended_while_they_waited_are_not_started() -> None:
    deadline = Deadline(within=10)
    fields = {"pattern": "each", "for_each": [1, 2, 3], "max_parallel": 1, "deadline": deadline}
    world = World(plan([item("e", then="return-partial", **fields)])).start()
    world.advance()
    world.now = START + 10
    world.advance()
    world.answer("r/e.0/1", failed("cancelled"))
    world.advance()
    assert world.started() == ["e.0"]
    assert world.ends() == dict.fromkeys(["e", "e.0", "e.1", "e.2"], "failed")


def test_budget_that_is_held_for_who_waits_for_it_is_denied() -> None:
    items = [
        group("a", budget=Budget(model_calls=2), required=False),
        sub("a", depends_on=("z",), role_id="free"),
        item("z", required=False),
    ]
    roles = [role(max_usage=Budget(model_calls=1)), role("free")]
    world = play(items, roles=roles, budget=Budget(model_calls=2))
    assert world.ends() == {"g": "failed", "g.a": "blocked", "z": "denied"}
    assert world.reason("z") == "it needs 1 model_calls, 0 are left"
    assert world.status == "degraded"


def test_an_optional_item_without_a_result_degrades_the_run() -> None:
    items = [
        item("g", role_id="", pattern="resolve", children=("g.a",), required=False),
        sub("a", when="x"),
    ]
    world = play(items, conditions={"g.a": False})
    assert world.reason("g") == "no_proposals"
    assert world.status == "degraded"


def test_the_elements_of_a_sub_task_propose_each_by_itself() -> None:
    items = [
        item("g", role_id="", pattern="resolve", children=("g.a",)),
        sub("a", pattern="each", for_each=[1, 2]),
    ]
    script = {
        "g.a.0": done(output={"value": "x", "risk": "reversible"}),
        "g.a.1": done(output={"value": "y", "risk": "read_only"}),
    }
    output = play(items, script).run.state.nodes["g"].output
    assert output is not None
    assert output["resolution"]["winner"] == "a.1"


def test_a_failed_run_leaves_nothing_open_though_it_got_a_signal() -> None:
    world = World(plan([item("a"), item("b"), item("c")], max_concurrency=2)).start()
    world.advance()
    world.record(Event(world.now, "run_stopping", body={"signal": "SIGINT"}))
    world.answer("r/a/1", failed())
    world.advance()
    world.answer("r/b/1", failed("cancelled"))
    world.advance()
    assert world.ends() == {"a": "failed", "b": "cancelled", "c": "cancelled"}
