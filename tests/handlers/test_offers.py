"""A turn that a worker is asked for is made by it or withdrawn, and never both."""

import asyncio
import socket
from collections.abc import Callable

import pytest

from forge_cli.handlers.frames import FRESH, STALE
from forge_cli.handlers.offers import NUMBERS, Offer, Offers

Scene = Callable[[Offers], None]


@pytest.fixture
def play() -> Callable[[Scene], None]:
    """Play a scene with the offers to a worker, whose end of the tickets it may read."""

    def play(scene: Scene) -> None:
        async def main() -> None:
            offers = Offers()
            scene(offers)
            offers.close()

        asyncio.run(main())

    return play


def ask(offers: Offers, count: int) -> list[Offer]:
    asked = [offers.add()[0] for _ in range(count)]
    offers.send()
    return asked


def take(offers: Offers) -> bytes:
    """What the worker does before it makes a turn."""
    return offers.theirs.recv(1)


def states(offers: list[Offer]) -> list[str]:
    return [offer.state for offer in offers]


def test_what_was_taken_is_not_withdrawn(play: Callable[[Scene], None]) -> None:
    def scene(offers: Offers) -> None:
        asked = ask(offers, 3)
        take(offers)
        take(offers)
        offers.withdraw()
        assert states(asked) == ["open", "open", "withdrawn"]

    play(scene)


def test_the_first_is_left_to_be_taken(play: Callable[[Scene], None]) -> None:
    def scene(offers: Offers) -> None:
        (first, beginning), *_ = [offers.add() for _ in range(3)]
        offers.withdraw()
        assert len(offers) == 1
        assert offers.only is first
        assert take(offers) == beginning[:1]

    play(scene)


def test_whom_the_worker_leaves_gets_no_answer(play: Callable[[Scene], None]) -> None:
    asked: list[Offer] = []

    def scene(offers: Offers) -> None:
        asked.extend(ask(offers, 2))
        take(offers)

    play(scene)
    assert states(asked) == ["closed", "withdrawn"]
    assert asked[0].answer.result() is None


def test_whom_a_worker_had_not_begun_with_is_not_left_by_it(play: Callable[[Scene], None]) -> None:
    asked: list[Offer] = []

    def scene(offers: Offers) -> None:
        asked.extend(ask(offers, 2))
        take(offers)
        offers.close_first(b"a")

    play(scene)
    assert states(asked) == ["closed", "withdrawn"]


def test_an_answer_is_due_for_the_first_turn_once_that_was_taken(
    play: Callable[[Scene], None],
) -> None:
    def scene(offers: Offers) -> None:
        (_, first), (_, second) = offers.add(), offers.add()
        offers.send()
        found = [offers.is_due(first[:1])]
        take(offers)
        found += [offers.is_due(second[:1]), offers.is_due(first[:1])]
        assert found == [False, False, True]

    play(scene)


def test_what_is_not_sent_yet_is_withdrawn_and_never_sent(play: Callable[[Scene], None]) -> None:
    def scene(offers: Offers) -> None:
        first, second = ask(offers, 2)
        take(offers)
        last, _ = offers.add()
        offers.withdraw()
        offers.send()
        assert states([first, second, last]) == ["open", "withdrawn", "withdrawn"]
        with pytest.raises(BlockingIOError):
            offers.theirs.recv(1, socket.MSG_DONTWAIT)

    play(scene)


def test_what_is_not_sent_yet_was_taken_by_nobody(play: Callable[[Scene], None]) -> None:
    def scene(offers: Offers) -> None:
        _, beginning = offers.add()
        assert not offers.is_due(beginning[:1])
        offers.send()
        take(offers)
        offers.add()
        assert offers.is_due(beginning[:1])

    play(scene)


def test_answers_are_for_the_turns_in_order(play: Callable[[Scene], None]) -> None:
    def scene(offers: Offers) -> None:
        asked = ask(offers, 2)
        offers.close_first(b"a")
        offers.close_first(b"b")
        assert [offer.answer.result() for offer in asked] == [b"a", b"b"]
        assert offers.closed == 2

    play(scene)


def test_only_an_offer_after_all_was_read_is_fresh(play: Callable[[Scene], None]) -> None:
    def scene(offers: Offers) -> None:
        found = [offers.add()[1][1:] for _ in range(2)]
        offers.renew()
        found += [offers.add()[1][1:] for _ in range(2)]
        assert found == [FRESH, STALE, FRESH, STALE]

    play(scene)


def test_tickets_go_round(play: Callable[[Scene], None]) -> None:
    def scene(offers: Offers) -> None:
        for _ in range(NUMBERS + 2):
            _, beginning = offers.add()
            offers.send()
            assert take(offers) == beginning[:1]
            offers.close_first(b"")

    play(scene)
