"""What verification answers: one check after the other, each with a sentence."""

from collections.abc import Iterator
from dataclasses import dataclass

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Check:
    """One check of evidence: `sentence` says what was found right, or wrong and where."""

    name: str
    ok: bool
    sentence: str

    def __str__(self) -> str:
        """The check for people: its name and what it found."""
        return f"{self.name}: {self.sentence}"


class Faults:
    """The faults of one check, the first few in words and the rest by number."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._sentences: list[str] = []
        self._count = 0

    def __bool__(self) -> bool:
        return self._count > 0

    def add(self, sentence: str) -> None:
        """Note a fault; the sentence names the file and, where there is one, the line."""
        self._count += 1
        if self._count <= _SHOWN:
            self._sentences.append(sentence)

    def checks(self, right: str) -> Iterator[Check]:
        """A check for each fault in words, or one that says `right` if there is none."""
        if not self._count:
            yield Check(self.name, True, right)
        for sentence in self._sentences:
            yield Check(self.name, False, sentence)
        if self._count > _SHOWN:
            yield Check(self.name, False, f"and {self._count - _SHOWN} more of this kind")


def count(number: int, noun: str) -> str:
    """A number with its noun: `1 event`, `2 events`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
