"""What an agent asked for or posted that was refused is told in the run and of the item."""

from dataclasses import replace

from forge_cli.cli.item import ItemStory, item_lines
from forge_cli.cli.terminal import Terminal
from forge_cli.multiagent.plan import Handler
from tests.cli.test_board_resumed import folded
from tests.multiagent.children import ask, lead
from tests.multiagent.children import play as play_children
from tests.multiagent.test_broadcast import broadcast, says, sub
from tests.multiagent.world import World, done, failed, item, play, yields

POSTED = "a post: there is no channel 'nowhere'"


def page(world: World, item_id: str) -> str:
    """All that is told of the item, in one line."""
    story = ItemStory(item_id)
    for event in world.events:
        story.apply(event)
    node = world.run.state.nodes[item_id]
    handler = Handler("function", {"call": "handlers.py:work"})
    roles = {name: replace(each, handler=handler) for name, each in world.plan.roles.items()}
    lines = item_lines(replace(world.plan, roles=roles), node, story, Terminal(), lambda _: b"")
    return " ".join(" ".join(lines).split())


def test_a_post_that_reaches_nobody_is_told_with_the_reason() -> None:
    items = [broadcast("a", "b"), sub("a"), sub("b")]
    world = play(items, {"g.a": [yields(says("it burns", "nowhere")), done()]})
    assert any(f"g.a       refused    {POSTED}" in line for line in folded(world)[1])
    assert f"refused, {POSTED}" in page(world, "g.a")
    assert "refused" not in page(world, "g.b")


def test_what_a_failed_turn_posts_is_no_message_and_not_told_of() -> None:
    items = [broadcast("a", "b"), sub("a"), sub("b")]
    world = play(items, {"g.a": failed(posts=[says("it burns", "nowhere")])})
    assert not any("refused" in line for line in folded(world)[1])
    assert "refused" not in page(world, "g.a")


def test_a_request_that_is_denied_is_told_with_the_reason() -> None:
    world = play_children({"a": [ask({"tool": "fly", "arguments": {}}), done()]}, lead())
    assert any("a         refused    fly: unknown tool 'fly'" in x for x in folded(world)[1])
    assert "refused, fly: unknown tool 'fly'" in page(world, "a")


def test_one_that_is_no_request_is_told_without_a_name() -> None:
    world = play_children({"a": [ask("do it"), done()]}, lead())
    assert "refused, a request: a request must be" in page(world, "a")


def test_a_run_does_not_list_more_than_a_person_reads() -> None:
    posts = [says("it burns", "nowhere") for _ in range(80)]
    items = [broadcast("a", "b"), sub("a"), sub("b")]
    shown = folded(play(items, {"g.a": [yields(*posts), done()]}))[1]
    assert sum("refused" in line for line in shown) == 50
    assert sum("further failures are not listed here" in line for line in shown) == 1


def test_attempts_and_decisions_are_told_in_the_order_in_which_they_came() -> None:
    world = play([item("a", approval=True)]).resume()
    world.decide("a", "approve", digest=world.run.state.nodes["a"].seal).go_on()
    text = page(world, "a")
    assert text.index("paused: it awaits") < text.index("approved by ann") < text.index("done, as")
