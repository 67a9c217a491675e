"""The channel between forge and a worker: each message is its length (4 bytes) and JSON."""

import os
import struct

LENGTH = struct.Struct(">I")

LONGEST = 16 * 1024 * 1024
"""Bytes that a worker's answer may have."""

CHUNK = 262_144


def frame(payload: bytes) -> bytes:
    """The message as it goes over the channel."""
    return LENGTH.pack(len(payload)) + payload


def read_frame(descriptor: int) -> bytes | None:
    """The next message, or None when the other side has closed; blocks until then."""
    length = _read(descriptor, LENGTH.size)
    return length and _read(descriptor, LENGTH.unpack(length)[0])


def write_frame(descriptor: int, payload: bytes) -> None:
    """Write a message; blocks until it is taken."""
    rest = memoryview(frame(payload))
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _read(descriptor: int, size: int) -> bytes | None:
    data = b""
    while len(data) < size:
        part = os.read(descriptor, min(size - len(data), CHUNK))
        if not part:
            return None
        data = data + part if data else part
    return data


class Assembly:
    """Puts one message together from what a channel that must not block gives."""

    def __init__(self) -> None:
        self._data = bytearray()

    def feed(self, data: bytes) -> bytes | None:
        """The message once it is whole; `ValueError` where it is too long or more follows it."""
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
