"""The Merkle tree over a run's events, grown leaf by leaf (RFC 6962, section 2.1)."""

import hashlib


class Tree:
    """The tree's right edge: enough to add a leaf and to tell the root.

    Adding is O(1) on average; what is kept grows with the logarithm of the size.
    """

    __slots__ = ("_edge", "size")

    def __init__(self) -> None:
        self.size = 0
        self._edge: list[bytes] = []

    def add(self, leaf: bytes) -> None:
        """Append a leaf."""
        node = hashlib.sha256(b"\x00" + leaf).digest()
        size = self.size
        while size & 1:
            node = _join(self._edge.pop(), node)
            size >>= 1
        self._edge.append(node)
        self.size += 1

    def root(self) -> str:
        """The root's hash in lower-case hex; of an empty tree the hash of nothing."""
        if not self._edge:
            return hashlib.sha256().hexdigest()
        node = self._edge[-1]
        for left in reversed(self._edge[:-1]):
            node = _join(left, node)
        return node.hex()


def _join(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()
