"""Copies of JSON values, and sets of words that are no texts."""

from types import MappingProxyType
from typing import Any

import pytest

from forge_cli.multiagent.values import copied, quoted, weight, words


@pytest.mark.parametrize(
    "value", [None, True, 1, 1.5, "text", [], {}, [1, [2, {"a": [3]}]], {"a": {"b": [None]}}]
)
def test_a_copy_equals_the_original(value: Any) -> None:
    assert copied(value) == value


def test_a_copy_shares_nothing_that_can_change() -> None:
    original = {"a": [{"b": [1]}]}
    copy = copied(original)
    original["a"][0]["b"].append(2)
    assert copy == {"a": [{"b": [1]}]}


def test_a_copy_of_any_mapping_is_a_dict() -> None:
    assert type(copied(MappingProxyType({"a": 1}))) is dict


def test_what_is_not_json_is_copied_deeply_as_well() -> None:
    original = ([1],)
    copy = copied(original)
    original[0].append(2)
    assert copy == ([1],)


def test_words_come_as_a_set() -> None:
    assert words(["read", "write", "read"], "capabilities") == frozenset({"read", "write"})


def test_a_text_is_not_a_set_of_its_letters() -> None:
    with pytest.raises(
        ValueError, match="capabilities must be a set of words, not the text 'read'"
    ):
        words("read", "capabilities")


def test_names_are_quoted_and_sorted() -> None:
    assert quoted({"b", "a"}) == "'a', 'b'"


def test_no_names_are_nothing() -> None:
    assert quoted(()) == "nothing"


def test_the_weight_of_a_package_is_its_json_without_the_limit_it_states() -> None:
    assert weight({"text": "\u00e9", "max_bytes": 9}) == len('{"text":"."}') + 1
