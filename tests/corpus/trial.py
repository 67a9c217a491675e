"""Faults are made in the sound corpus, and what is found is compared with them."""

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from forge_cli.manifest.reading.source import parse
from tests.corpus.mutations import Expected, Mutation, Text, broken
from tests.corpus.sound import Sound, corpus

SEEDS = int(os.environ.get("CORPUS_SEEDS", "0"))
"""Of `make corpus`: how many manifests get several faults. 0 is the short form of the tests."""

Maker = Callable[[Text, Any], Iterator[Mutation]]
"""Makes every fault of one kind that can be made in a manifest; the second is its plain data."""


class Trial(NamedTuple):
    """A sound manifest and the faults that are made in it."""

    sound: Sound
    mutations: tuple[Mutation, ...]

    def difference(self) -> str:
        """How what is found differs from the faults that are there; empty if it does not."""
        text, expected = broken(self.sound.text, self.mutations)
        found = []
        for finding in self.sound.findings(text):
            assert finding.spot.place is not None
            found.append(Expected(*finding.spot.place[:2], finding.rule))
        if found == expected:
            return ""
        names = ", ".join(mutation.name for mutation in self.mutations)
        return f"{self.sound.name}, {names}: {found}, not {expected}\n{text}"


def single(make: Maker) -> Iterator[Trial]:
    """Each fault alone: in the short form once, in the first manifest where it can be made."""
    made: set[str] = set()
    for sound in corpus():
        text, data = Text(sound.text), parse(sound.text.encode()).data
        for mutation in make(text, data):
            if SEEDS or mutation.name not in made:
                made.add(mutation.name)
                yield Trial(sound, (mutation,))


def differences(trials: Iterable[Trial]) -> list[str]:
    """What is not found as it should be, in the first few of many."""
    found = filter(None, (trial.difference() for trial in trials))
    return [difference for difference, _ in zip(found, range(3), strict=False)]
