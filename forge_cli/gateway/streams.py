"""What a program prints: drained as it comes, redacted, and kept up to a cap."""

import asyncio
import os
from collections.abc import Callable

from forge_cli.gateway.processes import usable_system
from forge_cli.gateway.secrets import Redactor

CHUNK = 65_536
TAIL = 8_192
"""Bytes at the end of an over-long output that are kept as well: the last lines say most."""


class Capture:
    """What one stream printed, after redaction: all of it, or its beginning and end with a mark.

    `cap` is in bytes of redacted text, mark not counted. `size` counts all bytes that came; `hear`
    is given all of them, redacted, as they come.
    """

    def __init__(
        self, redactor: Redactor, cap: int, hear: Callable[[bytes], object] | None = None
    ) -> None:
        self._hear = hear
        self._stream = redactor.stream()
        self._head = bytearray()
        self._tail = bytearray()
        self._tail_cap = min(TAIL, cap // 2)
        self._head_cap = cap - self._tail_cap
        self.size = 0

    @property
    def cut(self) -> bool:
        """Whether something was left out."""
        return self.size > self._head_cap + self._tail_cap

    def feed(self, data: bytes) -> None:
        """Take what was read next."""
        self._keep(self._stream.feed(data))

    def finish(self) -> bytes:
        """All that is kept; nothing may be fed afterwards."""
        self._keep(self._stream.finish())
        if not self.cut:
            return bytes(self._head + self._tail)
        left_out = self.size - self._head_cap - self._tail_cap
        mark = f"\n[... {left_out} bytes left out ...]\n".encode()
        return bytes(self._head) + mark + bytes(self._tail[len(self._tail) - self._tail_cap :])

    def _keep(self, data: bytes) -> None:
        self.size += len(data)
        if self._hear is not None:
            self._hear(data)
        room = self._head_cap - len(self._head)
        if room:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        if len(self._tail) > 8 * TAIL:
            del self._tail[: len(self._tail) - self._tail_cap]


class Pipe:
    """A pipe that a program prints into while the loop drains it and hands it to `feed`.

    `theirs` is the end to hand over and to close with `release`. That the other end is closed is
    never waited for: a stranger that was given it would hold forge up. While it is not known whose
    words they are (`may_read` says no), they stay in the pipe, until `resume`.
    """

    def __init__(
        self, feed: Callable[[bytes], object], may_read: Callable[[], bool] = lambda: True
    ) -> None:
        self._feed = feed
        self._may_read = may_read
        self._paused = False
        with usable_system():
            self._ours, self.theirs = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(self._ours, False)
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._ours, self._readable)
        self._open = True

    def release(self) -> None:
        """Close the end that was handed over."""
        os.close(self.theirs)

    def resume(self) -> None:
        """Read on, if that was put off."""
        if self._paused and self._open:
            self._paused = False
            self._loop.add_reader(self._ours, self._readable)

    def drain(self) -> None:
        """Take everything that is in the pipe now."""
        while self._open and self._read():
            pass

    def close(self) -> None:
        """Drain it for the last time."""
        self.drain()
        self._end()

    def _readable(self) -> None:
        if self._may_read():
            self._read()
        else:
            self._paused = True
            self._loop.remove_reader(self._ours)

    def _read(self) -> bool:
        try:
            data = os.read(self._ours, CHUNK)
        except BlockingIOError:
            return False
        if not data:
            self._end()
            return False
        self._feed(data)
        return True

    def _end(self) -> None:
        if self._open:
            self._open = False
            self._loop.remove_reader(self._ours)
            os.close(self._ours)
