"""What is said of undoing: a line for each compensation, the table, and the verdict."""

from dataclasses import replace

import pytest

from forge_cli.cli.item import heading
from forge_cli.cli.states import state_of
from forge_cli.cli.terminal import Terminal
from forge_cli.cli.undoing import undoing
from forge_cli.cli.verdict import Outcome, verdict
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Handler, Item
from tests.cli.test_board_resumed import folded
from tests.multiagent.test_run_compensation import saga, undoable
from tests.multiagent.world import World, failed, item, plan

RESTORED: Item = replace(item("a"), compensate=Handler("restore", {}))


@pytest.mark.parametrize(
    ("changed", "said"), [(0, "nothing had changed"), (2, "2 paths as before it began")]
)
def test_a_restore_says_how_much_was_changed(changed: int, said: str) -> None:
    body = {"status": "done", "changed": changed}
    event = Event(0, "compensation_ended", "a", "r/a/compensation-1", body)
    assert undoing(event, RESTORED) == ("restored", said)


def test_what_is_undone_has_lines_behind_the_failure() -> None:
    world = World(plan([undoable("a")]), {"a": failed()}).play()
    board, shown = folded(world)
    assert "FAILED     exit status 1" in shown[-2]
    assert "undone     by its own program, exit status 0" in shown[-1]
    assert state_of(board, world.plan.items["a"]) == "failed, undone"


def test_while_it_is_undone_the_table_says_so() -> None:
    world = World(plan([undoable("a")]), {"a": failed()}).start()
    world.until("compensation_started")
    board, _ = folded(world)
    assert state_of(board, world.plan.items["a"]) == "failed, being undone"


def test_what_is_not_undone_is_listed_with_the_command_that_goes_on() -> None:
    script = {"g.y": failed(), "g.y undone": "failed"}
    world = World(plan(saga("x", "y")), script)
    world.play()
    world.events = [_with_message(event) for event in world.events]
    board, shown = folded(world)
    assert any("FAILED     what it did is not undone: no bank" in line for line in shown)
    lines = verdict(board, Terminal(), Outcome("7f3a"), 1)
    assert " ".join(lines[1].split()).endswith("incomplete")
    assert "  not undone  g.y  no bank" in lines
    assert "  not undone  g.x  not started" in lines
    assert any(line.startswith("  go on  forge resume 7f3a ") for line in lines)


def test_one_that_a_signal_stopped_is_said_to_go_on() -> None:
    world = World(plan([undoable("a")]), {"a": failed()}).start()
    world.until("compensation_started")
    world.record(Event(world.now, "run_stopping", body={"signal": "SIGINT"}))
    world.advance()
    world.undone("r/a/compensation-1", "cancelled")
    world.advance()
    _, shown = folded(world)
    assert any("stopped    undoing it is started again when the run goes on" in s for s in shown)


def test_one_that_cannot_be_started_says_why() -> None:
    undo = Handler("command", {"argv": ["undo", "${inputs.missing}"]})
    world = World(plan([undoable("a", compensate=undo)]), {"a": failed()}).play()
    board, shown = folded(world)
    assert "what it did is not undone: ${inputs.missing} has no value" in shown[-1]
    assert board.not_undone() == [("a", "${inputs.missing} has no value")]


def _with_message(event: Event) -> Event:
    if event.kind != "compensation_ended" or event.body["status"] != "failed":
        return event
    return event._replace(body={**event.body, "message": "no bank"})


def test_a_part_that_was_accepted_and_is_undone_says_both() -> None:
    world = World(plan(saga("x", "y")), {"g.y": failed()}).play()
    nodes = world.run.state.nodes
    assert heading(nodes["g.x"], Terminal()) == ["g.x  accepted, undone"]
    assert nodes["g.y"].status == "failed"


def test_what_could_not_be_undone_says_so_behind_how_it_ended() -> None:
    world = World(plan(saga("x", "y")), {"g.y": failed(), "g.y undone": "failed"}).play()
    assert heading(world.run.state.nodes["g.y"], Terminal())[0] == "g.y  FAILED, not undone"
