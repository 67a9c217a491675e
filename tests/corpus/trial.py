"""Faults are made in the sound corpus, and what is found is compared with them."""

import os
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from random import Random
from typing import Any, NamedTuple

from forge_cli.manifest.findings import Path
from forge_cli.manifest.reading.source import parse
from tests.corpus.mutations import Expected, Mutation, Text, broken
from tests.corpus.parts import related
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
        text, data = Text(sound.text), plain(sound)
        for mutation in make(text, data):
            if SEEDS or mutation.name not in made:
                made.add(mutation.name)
                yield Trial(sound, (mutation,))


def differences(trials: Iterable[Trial]) -> list[str]:
    """What is not found as it should be, in the first few of many."""
    found = filter(None, (trial.difference() for trial in trials))
    return [difference for difference, _ in zip(found, range(3), strict=False)]


def plain(sound: Sound) -> dict[str, Any]:
    """The manifest as plain data."""
    data = parse(sound.text.encode()).data
    assert data is not None
    return data


def several(seed: int, makers: tuple[Maker, ...]) -> Trial:
    """Two to five faults that have nothing to do with each other, in one manifest."""
    chance = Random(seed)
    number = chance.choice([n for n, each in enumerate(corpus()) if len(each.text) > 500])
    sound = corpus()[number]
    text, data, by_kind = _bred(number, makers)
    kinds = sorted(by_kind)
    chance.shuffle(kinds)
    taken: list[Mutation] = []
    claimed: set[Path] = set()
    most = chance.randint(2, 5)
    for kind in kinds:
        mutation = chance.choice(by_kind[kind])
        touched = {_part(text, edit.start) for edit in mutation.edits}
        if () not in touched and claimed.isdisjoint(touched) and len(taken) < most:
            taken.append(mutation)
            claimed |= touched.union(*(related(data, part) for part in touched))
    return Trial(sound, tuple(taken))


@cache
def _bred(number: int, makers: tuple[Maker, ...]) -> tuple[Text, Any, dict[str, list[Mutation]]]:
    """A manifest of the corpus as text and as plain data, and its faults by their names."""
    sound = corpus()[number]
    text, data = Text(sound.text), plain(sound)
    by_kind: dict[str, list[Mutation]] = {}
    for make in makers:
        for mutation in make(text, data):
            if mutation.rule not in ABOUT_THE_RUN:
                by_kind.setdefault(mutation.name, []).append(mutation)
    return text, data, by_kind


ABOUT_THE_RUN = frozenset({"inert-key", "joint-too-large", "unreachable-minimum"})
"""Rules that are broken by a further key at the top, together with what is anywhere below."""

NAMED = ("work_items", "roles", "delegations", "context_packages", "state", "inputs")
"""Sections whose entries stand for themselves."""


def _part(text: Text, offset: int) -> Path:
    """The item, sub-task, role, ... in which an offset of the text is; () for what has no name."""
    inside = [
        path
        for path, place in text.places.items()
        if min(place.start, *(place.key or (place.start,))) <= offset <= place.end
    ]
    path = max(inside, key=len)
    if path[0] not in NAMED:
        return ()
    return (
        path[:4]
        if path[2:3] == ("sub_tasks",) and len(path) > 3
        else path[:2]
        if len(path) > 1
        else ()
    )
