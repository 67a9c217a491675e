"""Words for what is being done are told from events as they come, whatever else is printed."""

import json

import pytest

from forge_cli.handlers.event_words import LONGEST, MOST, SHOWN, EventWords


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def words(told: list[str]) -> EventWords:
    return EventWords("type=='tool' && name", told.append)


def event(name: object) -> bytes:
    return json.dumps({"type": "tool", "name": name}).encode() + b"\n"


def test_each_event_is_told_when_its_line_has_ended(words: EventWords, told: list[str]) -> None:
    words.hear(event("read")[:9])
    words.hear(event("read")[9:-1])
    assert told == []
    words.hear(b"\n" + event("write"))
    assert told == ["read", "write"]


def test_the_same_is_told_once_in_a_row(words: EventWords, told: list[str]) -> None:
    words.hear(event("read") + event("read") + event("write") + event("read"))
    assert told == ["read", "write", "read"]


@pytest.mark.parametrize(
    "line",
    [
        b"Reading\n",
        b"{half\n",
        b"[1]\n",
        b'{"type": "text", "name": "x"}\n',
        event(7),
        event(" "),
        b"\n",
    ],
)
def test_what_says_nothing_of_it_is_passed_over(
    words: EventWords, told: list[str], line: bytes
) -> None:
    words.hear(line + event("read"))
    assert told == ["read"]


def test_an_expression_that_fails_on_an_event_tells_nothing(told: list[str]) -> None:
    EventWords("join(' ', name)", told.append).hear(event(7) + event(["a", "b"]))
    assert told == ["a b"]


def test_long_words_are_cut_and_on_one_line(words: EventWords, told: list[str]) -> None:
    words.hear(event("a\n" * SHOWN))
    assert told == [("a " * SHOWN)[:SHOWN]]


def test_a_line_without_end_is_not_kept(words: EventWords, told: list[str]) -> None:
    for _ in range(64):
        words.hear(b"{" * LONGEST)
    words.hear(b"\n" + event("read"))
    assert told == ["read"]


def test_no_more_lines_are_looked_at_than_a_run_bears(words: EventWords, told: list[str]) -> None:
    words.hear(b"\n" * MOST + event("read"))
    assert told == []
