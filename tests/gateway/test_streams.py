"""What is printed is drained, redacted before it is cut, and kept up to a cap."""

import asyncio
import os

import pytest

from forge_cli.gateway.secrets import Redactor
from forge_cli.gateway.streams import TAIL, Capture, Pipe


@pytest.mark.parametrize("size", [0, 1, 99, 100])
def test_what_fits_is_kept_whole(size: int) -> None:
    capture = Capture(Redactor({}), 100)
    capture.feed(b"x" * size)
    assert capture.finish() == b"x" * size
    assert not capture.cut


def test_what_does_not_fit_is_cut_with_a_mark_that_counts() -> None:
    capture = Capture(Redactor({}), 10)
    for letter in b"abcdefghijklmnop":
        capture.feed(bytes([letter]))
    assert capture.finish() == b"abcde\n[... 6 bytes left out ...]\nlmnop"
    assert (capture.cut, capture.size) == (True, 16)


def test_a_long_output_keeps_little_memory() -> None:
    capture = Capture(Redactor({}), 100_000)
    for n in range(1_000):
        capture.feed(b"%05d" % n * 2_000)
    kept = capture.finish()
    assert len(kept) < 100_100
    assert kept.startswith(b"0000000000")
    assert kept.endswith(b"00999" * (TAIL // 5))


def test_a_secret_is_replaced_before_the_cut() -> None:
    capture = Capture(Redactor({"TOKEN": "hunter22"}), 20)
    capture.feed(b"0123456hunter22" * 40)
    assert b"hunt" not in capture.finish()


def test_a_pipe_that_somebody_else_holds_open_is_not_waited_for() -> None:
    async def scenario() -> bytes:
        capture = Capture(Redactor({}), 1_000)
        pipe = Pipe(capture.feed)
        stranger = os.dup(pipe.theirs)
        os.write(pipe.theirs, b"said")
        pipe.release()
        pipe.close()
        os.close(stranger)
        return capture.finish()

    assert asyncio.run(scenario()) == b"said"
