"""Copies of JSON values, and sets of words that are no texts."""

from types import MappingProxyType
from typing import Any

import pytest

from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.values import copied, is_artifact, noted, quoted, weight, words


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


def test_a_package_weighs_what_it_says_without_its_limit() -> None:
    assert weight({"text": "für", "max_bytes": 9}) == len('{"text":"für"}'.encode())


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"artifact": "sha256:00", "bytes": 1}, True),
        ({"artifact": "sha256:00"}, False),
        ({"artifact": "sha256:00", "bytes": 1, "more": 2}, False),
        (["artifact", "bytes"], False),
    ],
)
def test_only_digest_and_bytes_together_refer_to_an_artifact(value: Json, expected: bool) -> None:
    assert is_artifact(value) is expected


def test_what_is_kept_as_an_artifact_is_noted_at_any_depth() -> None:
    note = {"artifact": "sha256:00", "bytes": 1}
    assert list(noted({"a": [1, note], "b": {"c": (note,)}, "d": "artifact"})) == [note, note]
