"""Bytes that come in pieces, cut into lines in a time that is linear in all of them."""


class LineCutter:
    """What has been heard of a line that has not ended yet.

    Of a line of over `most` bytes only the first are kept, and one more by which it can be told.
    """

    def __init__(self, most: int) -> None:
        self._kept = most + 1
        self._rest = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that end with what came next, without their ends; blank ones are left out."""
        first, end, behind = data.partition(b"\n")
        self._rest += first[: self._kept - len(self._rest)]
        if not end:
            return []
        *lines, rest = bytes(self._rest), *(each[: self._kept] for each in behind.split(b"\n"))
        self._rest = bytearray(rest)
        return [line for line in lines if line.strip()]
