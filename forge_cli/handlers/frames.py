"""The channel between forge and a worker: each message is its length (4 bytes) and its content.

A turn is its ticket (a byte), whether it is fresh, and JSON; an answer is its turn's ticket, a
remark and JSON.
"""

import fcntl
import os
import struct
import termios
from collections.abc import Iterator

LENGTH = struct.Struct(">I")
COUNT = struct.Struct("i")

LONGEST = 16 * 1024 * 1024
"""Bytes that a worker's answer may have."""

CHUNK = 65_536

FRESH = b"\1"
STALE = b"\0"
"""Whether forge had read the last answer when it made an offer."""

EAGER = b"\0"
HELD = b"\1"
SPENT = b"\2"
"""How a worker answers: and takes the next turn; not before it is asked afresh; or never again."""


def frame(payload: bytes) -> bytes:
    """The message as it goes over the channel."""
    return LENGTH.pack(len(payload)) + payload


def frames(descriptor: int) -> Iterator[bytes]:
    """The messages that come, until the other side closes; blocks until the next one is there."""
    assembly = Assembly()
    while data := os.read(descriptor, CHUNK):
        yield from assembly.feed(data)


def write_frame(descriptor: int, payload: bytes) -> None:
    """Write a message; blocks until it is taken."""
    rest = memoryview(frame(payload))
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def unread(descriptor: int) -> int:
    """Bytes that are still to be read from a pipe or a socket, at either end of a pipe."""
    (count,) = COUNT.unpack(fcntl.ioctl(descriptor, termios.FIONREAD, bytes(COUNT.size)))
    return int(count)


class Assembly:
    """Puts messages together from the pieces in which a channel gives them."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """The messages that are whole now; `ValueError` where one is too long."""
        if not self._rest:
            messages, at = _cut(data)
            self._rest += data[at:]
        else:
            self._rest += data
            messages, at = _cut(self._rest)
            del self._rest[:at]
        return messages


def _cut(data: bytes | bytearray) -> tuple[list[bytes], int]:
    """The whole messages at the beginning, and where they end."""
    messages: list[bytes] = []
    at = 0
    while len(data) - at >= LENGTH.size:
        (length,) = LENGTH.unpack_from(data, at)
        if length > LONGEST:
            raise ValueError("what came over the channel is no answer")
        end = at + LENGTH.size + length
        if len(data) < end:
            break
        messages.append(bytes(data[at + LENGTH.size : end]))
        at = end
    return messages, at
