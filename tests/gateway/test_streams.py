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


def test_all_that_is_printed_is_heard_without_secrets_also_what_is_cut() -> None:
    heard: list[bytes] = []
    capture = Capture(Redactor({"TOKEN": "hunter22"}), 4, heard.append)
    capture.feed(b"it is hunt")
    capture.feed(b"er22, is it")
    capture.finish()
    assert b"".join(heard) == b"it is ***, is it"


def test_words_of_who_is_not_known_wait_until_it_is() -> None:
    async def scenario() -> list[bytes]:
        heard: list[bytes] = []
        known = asyncio.Event()
        pipe = Pipe(heard.append, known.is_set)
        os.write(pipe.theirs, b"early")
        while not pipe._paused:
            await asyncio.sleep(0)
        assert heard == []
        known.set()
        pipe.resume()
        pipe.resume()
        while not heard:
            await asyncio.sleep(0)
        pipe.release()
        while pipe._open:
            await asyncio.sleep(0)
        pipe.close()
        return heard

    assert asyncio.run(scenario()) == [b"early"]
