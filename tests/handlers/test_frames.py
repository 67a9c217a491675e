"""Messages come out of the channel as they went in, whatever pieces it makes of them."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge_cli.handlers.frames import LENGTH, LONGEST, Assembly, frame, frames, write_frame


@given(st.binary(max_size=50), st.integers(1, 9))
def test_a_message_is_whole_with_its_last_piece(payload: bytes, size: int) -> None:
    data = frame(payload)
    assembly = Assembly()
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    whole: list[list[bytes]] = [[] for _ in pieces[1:]]
    assert [assembly.feed(piece) for piece in pieces] == [*whole, [payload]]


def test_one_message_follows_another() -> None:
    assembly = Assembly()
    assert [assembly.feed(frame(b"a")), assembly.feed(frame(b"b"))] == [[b"a"], [b"b"]]


@given(st.lists(st.binary(max_size=9)), st.integers(1, 30))
def test_messages_come_in_order_whatever_pieces_hold_of_them(
    payloads: list[bytes], size: int
) -> None:
    data = b"".join(map(frame, payloads))
    assembly = Assembly()
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    assert [message for piece in pieces for message in assembly.feed(piece)] == payloads


def test_a_message_that_is_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match="no answer"):
        Assembly().feed(LENGTH.pack(LONGEST + 1))


def test_messages_go_through_a_pipe_until_that_is_closed() -> None:
    ours, theirs = os.pipe()
    write_frame(theirs, b"hello")
    write_frame(theirs, b"world")
    os.close(theirs)
    assert list(frames(ours)) == [b"hello", b"world"]
    os.close(ours)
