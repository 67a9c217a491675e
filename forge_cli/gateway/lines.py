"""Bytes that come in pieces, cut into lines in a time that is linear in all of them."""


class LineCutter:
    """What has been heard of a line that has not ended yet."""

    def __init__(self) -> None:
        self._rest = bytearray()

    @property
    def held(self) -> int:
        """The bytes of the line that has not ended."""
        return len(self._rest)

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that end with what came next, without their ends; blank ones are left out."""
        first, end, behind = data.partition(b"\n")
        self._rest += first
        if not end:
            return []
        *lines, rest = bytes(self._rest), *behind.split(b"\n")
        self._rest = bytearray(rest)
        return [line for line in lines if line.strip()]
