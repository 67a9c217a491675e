"""Scope inclusion against oracles that share nothing with it: interegular, `re` and enumeration."""

import random
import re
from collections.abc import Callable
from fnmatch import fnmatchcase
from functools import cache
from itertools import islice, product
from pathlib import PurePosixPath

import interegular
import pytest
from interegular.fsm import FSM

from forge_cli.multiagent.scope import contains, matches, overlaps
from tests.programme import size

NAME = r"(?:[^./][^/]*|\.[^./][^/]*|\.\.[^/]+)"
CANONICAL = interegular.parse_pattern(f"{NAME}(?:/{NAME})*").to_fsm()
PLAIN = r"(?!\.)[^/]+"
PAIRS = size("scope pairs")


def to_regex(glob: str) -> str:
    """A glob as a regular expression whose matches are right among canonical paths."""
    parts = []
    segments = glob.split("/")
    for place, segment in enumerate(segments):
        last = place == len(segments) - 1
        if segment == "**":
            parts.append(f"{PLAIN}(?:/{PLAIN})*" if last else f"(?:{PLAIN}/)*")
        else:
            parts.append(segment_regex(segment) + ("" if last else "/"))
    return "".join(parts)


def segment_regex(segment: str) -> str:
    pieces = re.findall(r"\[[^]]+\]|.", segment)
    wild = {"*": "[^/]*", "?": "[^/]"}
    body = "".join(wild.get(p) or (p if len(p) > 1 else re.escape(p)) for p in pieces)
    return (r"(?!\.)" if segment[0] in "*?[" else "") + body


@cache
def language(glob: str) -> FSM:
    paths: FSM = interegular.parse_pattern(to_regex(glob)).to_fsm() & CANONICAL
    return paths


def beyond(parents: list[str], child: str) -> FSM:
    """What the child matches and the parents do not."""
    paths = language(child)
    for parent in parents:
        paths = paths - language(parent)
    return paths


def shortest(paths: FSM) -> int | None:
    """The length of the shortest path, found level by level; None if there is none."""
    level, seen, length = {paths.initial}, set(), 0
    while level:
        if level & paths.finals:
            return length
        seen |= level
        level = {after for state in level for after in paths.map.get(state, {}).values()} - seen
        length += 1
    return None


def a_glob(source: random.Random) -> str:
    segments = []
    for _ in range(source.randint(1, 3)):
        if source.random() < 0.25:
            segments.append("**")
            continue
        choices = ["a", "b", "a", "b", ".", "*", "?", "[ab]", "[a.]", "[b-z]"]
        segment = "".join(source.choice(choices) for _ in range(source.randint(1, 3)))
        segments.append(re.sub(r"\*+", "*", segment).replace("..", ".a"))
    return "/".join("a" if segment == "." else segment for segment in segments)


def pairs(seed: int, count: int) -> list[tuple[list[str], str]]:
    """Parents and a child; half of the children are a parent with one character changed."""
    source = random.Random(seed)
    globs = sorted({a_glob(source) for _ in range(400)})
    found = []
    for _ in range(count):
        parents = source.choices(globs, k=source.choice([1, 1, 2, 3]))
        child = source.choice(globs)
        if source.random() < 0.5:
            child = narrowed(source, parents[0])
        found.append((parents, child))
    return found


def narrowed(source: random.Random, glob: str) -> str:
    places = [place for place, char in enumerate(glob) if char in "*?ab"]
    if not places or "[" in glob or ("**" in glob and source.random() < 0.5):
        return glob.replace("**", "a/*", 1)
    place = source.choice(places)
    changed = glob[:place] + source.choice(["a", "b", "?", "ab"]) + glob[place + 1 :]
    return re.sub(r"[ab?]\*(?=[ab?])|\*\*(?=[^/])|(?<=[^/])\*\*", "*", changed)


def scopes(globs: list[str]) -> list[str]:
    return [f"files:{glob}" for glob in globs]


@pytest.mark.programme
@pytest.mark.parametrize("seed", range(5))
def test_inclusion_and_witness_agree_with_interegular(seed: int) -> None:
    held = 0
    for parents, child in pairs(seed, PAIRS // 5):
        answer = contains(scopes(parents), f"files:{child}")
        outside = beyond(parents, child)
        assert answer.holds == (shortest(outside) is None), (parents, child)
        held += answer.holds
        if not answer.holds:
            assert answer.witness is not None
            assert outside.accepts(answer.witness), (parents, child, answer)
            assert len(answer.witness) == shortest(outside), (parents, child, answer)
    assert PAIRS // 5 * 0.1 < held < PAIRS // 5 * 0.9


def test_overlap_agrees_with_interegular() -> None:
    met = 0
    for (one, *_), other in pairs(seed=5, count=500):
        path = overlaps(f"files:{one}", f"files:{other}")
        both = language(one) & language(other)
        assert (path is None) == (shortest(both) is None), (one, other)
        if path is not None:
            met += 1
            assert both.accepts(path), (one, other, path)
            assert len(path) == shortest(both), (one, other, path)
    assert 50 < met < 450


@cache
def short_paths() -> tuple[str, ...]:
    texts = ("".join(chars) for n in range(1, 7) for chars in product("ab./", repeat=n))
    return tuple(text for text in texts if CANONICAL.accepts(text))


def test_matching_agrees_with_enumeration() -> None:
    source = random.Random(6)
    for glob in {a_glob(source) for _ in range(40)}:
        expression = re.compile(to_regex(glob))
        for path in short_paths():
            expected = expression.fullmatch(path) is not None
            assert matches([f"files:{glob}"], path) == expected, (glob, path)


def test_no_path_of_an_enumeration_refutes_an_inclusion() -> None:
    for parents, child in pairs(seed=7, count=60):
        answer = contains(scopes(parents), f"files:{child}")
        allowed = [re.compile(to_regex(parent)) for parent in parents]
        inner = re.compile(to_regex(child))
        outside = [
            path
            for path in short_paths()
            if inner.fullmatch(path) and not any(e.fullmatch(path) for e in allowed)
        ]
        assert not (answer.holds and outside), (parents, child, outside[0])


def by_prefix(parent: str, child: str) -> bool:
    return child.startswith(parent.split("*")[0])


def by_fnmatch(parent: str, child: str) -> bool:
    return fnmatchcase(child, parent)


def by_pure_path(parent: str, child: str) -> bool:
    return PurePosixPath(child).match(parent)


@pytest.mark.parametrize("wrong", [by_prefix, by_fnmatch, by_pure_path])
def test_the_oracle_catches_what_is_often_written_instead(
    wrong: Callable[[str, str], bool],
) -> None:
    asked = ((parents[0], child) for parents, child in pairs(seed=8, count=1_000))
    accepted = ((p, c) for p, c in asked if wrong(p, c) and shortest(beyond([p], c)) is not None)
    assert len(list(islice(accepted, 5))) == 5


def test_a_comparison_of_prefixes_takes_a_sibling_for_a_child() -> None:
    assert by_prefix("security*/x", "security-evil/y")
    assert shortest(beyond(["security*/x"], "security-evil/y")) == len("security-evil/y")
