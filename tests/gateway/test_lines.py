"""Bytes that come in pieces are cut into lines."""

import random

import pytest

from forge_cli.gateway.lines import LineCutter

MOST = 2**30


def test_a_line_ends_where_its_end_is_heard() -> None:
    lines = LineCutter(MOST)
    assert lines.feed(b'{"a"') == []
    assert lines.feed(b": 1}") == []
    assert lines.feed(b'\n{"b": 2}\n{"c"') == [b'{"a": 1}', b'{"b": 2}']
    assert lines.feed(b"\n") == [b'{"c"']


def test_blank_lines_are_left_out() -> None:
    assert LineCutter(MOST).feed(b"\n \r\na\n\n") == [b"a"]


def test_the_pieces_make_no_difference() -> None:
    rng = random.Random(7)
    whole = b"".join(rng.choice((b"a", b"\n", b"b ", b"\r\n")) for _ in range(2_000))
    lines, found, at = LineCutter(MOST), list[bytes](), 0
    while at < len(whole):
        size = rng.randint(1, 9)
        found += lines.feed(whole[at : at + size])
        at += size
    assert found == LineCutter(MOST).feed(whole)


def test_pieces_of_a_long_line_are_not_gone_through_again() -> None:
    lines, piece = LineCutter(MOST), b"x" * 64
    for _ in range(250_000):
        lines.feed(piece)
    assert lines.feed(b"\n") == [piece * 250_000]


@pytest.mark.parametrize("piece", [1, 7, 64])
def test_of_a_longer_line_one_byte_too_many_is_kept_and_the_next_line_is_whole(piece: int) -> None:
    whole, lines, found = b"ab\n" + b"x" * 20 + b"\ncde\n" + b"y" * 20 + b"\nf\n", LineCutter(3), []
    for at in range(0, len(whole), piece):
        found += lines.feed(whole[at : at + piece])
    assert found == [b"ab", b"xxxx", b"cde", b"yyyy", b"f"]
