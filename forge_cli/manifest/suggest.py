"""Suggestions for words that are not known: other tools' words first, then edit distance."""

from functools import lru_cache
from typing import NamedTuple

from forge_cli.manifest.foreign import WORDS

_LONGEST = 40


class Suggestion(NamedTuple):
    """The word that was meant, and whose word was written (`GitHub's`), if it is another tool's."""

    word: str
    whose: str = ""


@lru_cache(maxsize=256)
def suggest(word: str, words: tuple[str, ...], only_slips: bool = False) -> Suggestion | None:
    """The one of `words` that was most likely meant, or None: a wrong suggestion costs more.

    With `only_slips` the word means something of its own: it is taken for one that differs in a
    letter, and another tool's for none.
    """
    whose, meant = WORDS.get(word.lower(), ("", ()))
    for candidate in meant:
        if candidate in words:
            return Suggestion(candidate, whose)
    if only_slips:
        most = 0 if meant else min(1, len(_flat(word)) // 3)
        slip = next((one for one in words if _distance(_flat(word), _flat(one), most) <= most), "")
        return Suggestion(slip) if slip else None
    near = nearest(word, words) or _beginning(word, words)
    return Suggestion(near) if near else _by_part(word, words)


@lru_cache(maxsize=256)
def nearest(word: str, known: tuple[str, ...]) -> str | None:
    """The known word that is a few typing errors away, if there is one."""
    if len(word) > _LONGEST:
        return None
    flat = _flat(word)
    most = len(flat) // 3
    ranked = sorted((_distance(flat, _flat(each), most), each) for each in known)
    return ranked[0][1] if ranked and ranked[0][0] <= most else None


def _beginning(word: str, known: tuple[str, ...]) -> str | None:
    """`exec` means the only known word that begins so."""
    found = [each for each in known if each.startswith(word)] if len(word) > 3 else []
    return found[0] if len(found) == 1 else None


def _by_part(word: str, known: tuple[str, ...]) -> Suggestion | None:
    """`max_deepth` means the known word that has a part like `deepth`, if there is just one."""
    if len(word) > _LONGEST:
        return None
    mine = [part for part in word.lower().replace("-", "_").split("_") if len(part) > 3]
    near = [
        each
        for each in known
        if any(
            _distance(part, theirs, len(part) // 4) <= len(part) // 4
            for part in mine
            for theirs in each.replace("-", "_").split("_")
        )
    ]
    return Suggestion(near[0]) if len(near) == 1 else None


def _flat(word: str) -> str:
    return word.lower().replace("-", "").replace("_", "")


def _distance(one: str, other: str, most: int) -> int:
    """Edits (insert, drop, change, swap of neighbours) that lead from one word to the other.

    Any number over `most` stands for all of them: most words are told apart after a few letters.
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        older, before, row = before, row, [i]
        for j, b in enumerate(other, 1):
            best = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                best = min(best, older[j - 2] + 1)
            row.append(best)
        if min(row) > most:
            return most + 1
    return row[-1]
