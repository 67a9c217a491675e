"""Bytes that come in pieces are cut into lines."""

import random

from forge_cli.gateway.lines import LineCutter


def test_a_line_ends_where_its_end_is_heard() -> None:
    lines = LineCutter()
    assert lines.feed(b'{"a"') == []
    assert lines.feed(b": 1}") == []
    assert lines.feed(b'\n{"b": 2}\n{"c"') == [b'{"a": 1}', b'{"b": 2}']
    assert lines.held == len(b'{"c"')
    assert lines.feed(b"\n") == [b'{"c"']
    assert lines.held == 0


def test_blank_lines_are_left_out() -> None:
    assert LineCutter().feed(b"\n \r\na\n\n") == [b"a"]


def test_the_pieces_make_no_difference() -> None:
    rng = random.Random(7)
    whole = b"".join(rng.choice((b"a", b"\n", b"b ", b"\r\n")) for _ in range(2_000))
    lines, found, at = LineCutter(), list[bytes](), 0
    while at < len(whole):
        size = rng.randint(1, 9)
        found += lines.feed(whole[at : at + size])
        at += size
    assert found == LineCutter().feed(whole)


def test_pieces_of_a_long_line_are_not_gone_through_again() -> None:
    lines, piece = LineCutter(), b"x" * 64
    for _ in range(250_000):
        lines.feed(piece)
    assert lines.feed(b"\n") == [piece * 250_000]
