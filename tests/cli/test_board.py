"""The board: how items stand, which is for the machine to say."""

from forge_cli.cli.board import Board
from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.plan import StateKey
from tests.multiagent.world import World, done, item, play


def board(world: World) -> Board:
    found = Board(world.run.state)
    for event in world.events:
        found.apply(event)
    return found


def test_an_item_that_is_denied_and_escalates_is_shown_paused() -> None:
    dear = item("a", budget=Budget(model_calls=3), then="escalate")
    assert board(play([dear], budget=Budget(model_calls=2))).status_of("a") == "paused"


def test_a_list_of_results_that_conflicts_is_shown_failed() -> None:
    each = item("e", pattern="each", for_each=[1], return_key="k", required=False)
    state = {"k": StateKey("worker", "append")}
    world = play([each], {"e.0": done("no list")}, state=state)
    assert world.ends()["e"] == "failed"
    assert board(world).status_of("e") == "failed"
