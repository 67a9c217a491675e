"""The channel between forge and a worker: each message is its length (4 bytes) and JSON."""

import os
import struct

LENGTH = struct.Struct(">I")

LONGEST = 16 * 1024 * 1024
"""Bytes that a worker's answer may have."""

CHUNK = 65_536


def frame(payload: bytes) -> bytes:
    """The message as it goes over the channel."""
    return LENGTH.pack(len(payload)) + payload


def read_frame(descriptor: int) -> bytes | None:
    """The next message, or None when the other side has closed; blocks until then."""
    assembly = Assembly()
    while data := os.read(descriptor, CHUNK):
        if (message := assembly.feed(data)) is not None:
            return message
    return None


def write_frame(descriptor: int, payload: bytes) -> None:
    """Write a message; blocks until it is taken."""
    rest = memoryview(frame(payload))
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def is_whole(data: bytes) -> bool:
    """Whether one message came in one piece, as it usually does."""
    size = len(data) - LENGTH.size
    return size >= 0 and LENGTH.unpack_from(data)[0] == size


class Assembly:
    """Puts one message together from what a channel that must not block gives."""

    def __init__(self) -> None:
        self._data = bytearray()

    def feed(self, data: bytes) -> bytes | None:
        """The message once it is whole; `ValueError` where it is too long or more follows it."""
        if not self._data and is_whole(data):
            return data[LENGTH.size :]
        self._data += data
        if len(self._data) < LENGTH.size:
            return None
        length = LENGTH.unpack_from(self._data)[0]
        if length > LONGEST or len(self._data) > length + LENGTH.size:
            raise ValueError("what came over the channel is no answer")
        if len(self._data) < length + LENGTH.size:
            return None
        message = bytes(self._data[LENGTH.size :])
        self._data.clear()
        return message
