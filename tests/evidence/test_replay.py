"""A log replayed: what the machine decides together is compared together."""

from forge_cli.canonical import digest
from forge_cli.evidence.replay import Replay
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.run import Run
from tests.multiagent.world import World, item, plan


class Digesting(World):
    def seal(self, document: object) -> str:
        return digest(document)


def replayed(events: list[Event], run: Run) -> Replay:
    replay = Replay(run)
    for number, event in enumerate(events, start=1):
        replay.expect(event, number)
        run.apply(event)
    return replay


def played() -> World:
    """A group is opened, and terms are asked for, at once; then the group asks its conditions."""
    items = [
        item("g", role_id="", pattern="parallel", children=("g.a",)),
        item("g.a", parent="g", when="x"),
        item("asked", approval=True),
    ]
    return Digesting(plan(items)).play()


def test_terms_that_are_asked_for_beside_another_decision_are_those_of_that_moment() -> None:
    world = played()
    kinds = [event.kind for event in world.events]
    assert kinds[1:4] == ["item_opened", "item_sealed", "condition_evaluated"]
    assert not replayed(world.events, Run(world.plan)).faults


def test_another_digest_is_told() -> None:
    world = played()
    changed = [
        event._replace(body={"digest": "sha256:0"}) if event.kind == "item_sealed" else event
        for event in world.events[:3]
    ]
    (check,) = replayed(changed, Run(world.plan)).faults.checks("")
    assert "the terms of 'asked' have the digest sha256:" in check.sentence
    assert check.sentence.endswith(", not sha256:0")


def test_a_digest_that_nobody_asked_for_is_told() -> None:
    world = played()
    (check,) = replayed([*world.events[:3], world.events[2]], Run(world.plan)).faults.checks("")
    assert "the terms of 'asked' have the digest none, not sha256:" in check.sentence


def test_a_digest_in_place_of_a_decision_is_told() -> None:
    world = played()
    start, _, sealed = world.events[:3]
    (check,) = replayed([start, sealed], Run(world.plan)).faults.checks("")
    assert check.sentence.startswith("events.jsonl:2: the terms of 'asked' have the digest none")


def test_a_decision_in_place_of_a_digest_is_told() -> None:
    run = Run(played().plan)
    start, opened, *_ = played().events
    replay = replayed([start, opened], run)
    replay.expect(opened, 3)
    (check,) = replay.faults.checks("")
    assert check.sentence.endswith("the machine decides the terms of 'asked'")
