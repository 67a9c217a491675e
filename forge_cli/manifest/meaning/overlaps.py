"""Which of many writers may touch the same path, found without comparing all with all."""

from collections import defaultdict

from forge_cli.manifest.meaning.scopes import literal, shared

_Prefix = tuple[str, ...]


class Overlaps:
    """Patterns of numbered writers, indexed by the segments before the first wildcard.

    Two patterns can share a path only if the literal beginning of one begins the other's.
    """

    def __init__(self) -> None:
        self._writers: dict[str, int] = defaultdict(int)
        self._at: dict[_Prefix, dict[str, None]] = defaultdict(dict)
        self._below: dict[_Prefix, dict[str, None]] = defaultdict(dict)
        self._below_writers: dict[_Prefix, int] = defaultdict(int)

    def add(self, texts: list[tuple[int, str]], number: int) -> None:
        """Enter a writer's patterns."""
        for _, text in texts:
            self._writers[text] |= 1 << number
            prefix = literal(text)
            self._at[prefix][text] = None
            for length in range(len(prefix)):
                self._below[prefix[:length]][text] = None
                self._below_writers[prefix[:length]] |= 1 << number

    def first(self, texts: list[tuple[int, str]], excluding: int) -> tuple[int, int, str] | None:
        """A writer that may touch a path of these patterns, which of them, and the path.

        Writers whose bit is in `excluding` do not count.
        """
        for index, text in texts:
            prefix = literal(text)
            candidates = [
                c for length in range(len(prefix) + 1) for c in self._at_prefix(prefix[:length])
            ]
            if self._below_writers.get(prefix, 0) & ~excluding:
                candidates += self._below[prefix]
            for other in candidates:
                left = self._writers[other] & ~excluding
                path = shared(text, other) if left else None
                if path is not None:
                    return (left & -left).bit_length() - 1, index, path
        return None

    def _at_prefix(self, prefix: _Prefix) -> dict[str, None]:
        return self._at.get(prefix, {})
