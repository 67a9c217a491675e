"""The board of a run that is gone on with: what was closed is open again, and time is not lost."""

from forge_cli.cli.board import Board
from forge_cli.cli.lines import Lines
from forge_cli.cli.terminal import Terminal
from forge_cli.multiagent.plan import Item
from forge_cli.multiagent.run_state import RunState
from tests.multiagent.world import World, failed, item, plan, play


def folded(world: World) -> tuple[Board, list[str]]:
    """The board, and the lines of the events, each folded in when it happened."""
    state = RunState(world.plan)
    board, shown = Board(state), list[str]()
    lines = Lines(board, Terminal())
    for event in world.events:
        state.apply(event)
        shown += lines.of(event)
        board.apply(event)
    return board, shown


def paused(*others: Item) -> World:
    return play([item("a", then="escalate"), *others], {"a": failed()})


def test_an_item_that_goes_on_is_counted_once() -> None:
    world = paused(item("b", depends_on=("a",)))
    assert folded(world)[0].tally == {"paused": 1}
    world.script = {}
    world.resume().decide("a", "reissue").go_on()
    board, shown = folded(world)
    assert +board.tally == {"succeeded": 2}
    assert board.problems == []
    assert board.status == "complete"
    assert any("reissued" in line for line in shown)


def test_an_element_that_goes_on_is_counted_once() -> None:
    each = item("e", pattern="each", for_each=[1, 2], then="escalate")
    world = play([each], {"e.0": failed()})
    assert folded(world)[0].row("e").children == {"paused": 1, "succeeded": 1}
    world.script = {}
    world.resume().decide("e.0", "reissue").go_on()
    children = folded(world)[0].row("e").children
    assert children is not None
    assert +children == {"succeeded": 2}


def test_who_is_declined_is_a_problem_of_another_kind() -> None:
    world = paused().resume().decide("a", "deny").go_on()
    (problem,) = folded(world)[0].problems
    assert (problem.ending.status, problem.ending.reason) == ("denied", "declined by ann")


def test_what_awaits_an_approval_says_which() -> None:
    board, shown = folded(play([item("a", approval=True)]))
    (problem,) = board.problems
    assert board.open_to("a") == ("approve", "deny")
    assert problem.digest
    assert "paused     it awaits an approval, digest" in shown[-1]


def test_a_lost_turn_has_a_line() -> None:
    world = World(plan([item("a"), item("b", on_crash="hold")], max_concurrency=2)).start()
    world.advance()
    world.resume().go_on()
    board, shown = folded(world)
    assert any("a         lost       its controller was lost" in line for line in shown)
    assert any("b         indeterminate  its controller was lost" in line for line in shown)
    assert board.running == {}


def test_the_time_in_which_nobody_drove_it_is_not_counted() -> None:
    world = World(plan([item("a")])).start()
    world.advance()
    world.now += 2_000
    world.answer("r/a/1", {"status": "yields", "state": 1, "usage": {}})
    world.advance()
    world.now += 500_000
    world.resume()
    world.advance()
    world.now += 3_000
    world.go_on()
    board, _ = folded(world)
    assert board.row("a").lasted(board.now) == 5_000
    assert board.before + board.now - board.started == 5_000
