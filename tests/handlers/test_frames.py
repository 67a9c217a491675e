"""Messages come out of the channel as they went in, whatever pieces it makes of them."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge_cli.handlers.frames import LENGTH, LONGEST, Assembly, frame, read_frame, write_frame


@given(st.binary(max_size=50), st.integers(1, 9))
def test_a_message_is_whole_with_its_last_piece(payload: bytes, size: int) -> None:
    data = frame(payload)
    assembly = Assembly()
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    assert [assembly.feed(piece) for piece in pieces] == [None] * (len(pieces) - 1) + [payload]


def test_one_message_follows_another() -> None:
    assembly = Assembly()
    assert [assembly.feed(frame(b"a")), assembly.feed(frame(b"b"))] == [b"a", b"b"]


@pytest.mark.parametrize("data", [LENGTH.pack(LONGEST + 1), frame(b"a") + b"b"])
def test_what_is_no_message_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="no answer"):
        Assembly().feed(data)


def test_a_message_goes_through_a_pipe_until_that_is_closed() -> None:
    ours, theirs = os.pipe()
    write_frame(theirs, b"hello")
    assert read_frame(ours) == b"hello"
    os.close(theirs)
    assert read_frame(ours) is None
    os.close(ours)
