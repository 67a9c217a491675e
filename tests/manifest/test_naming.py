"""Places and values in the words of messages."""

from typing import Any

import pytest

from forge_cli.manifest.findings import Path
from forge_cli.manifest.naming import describe, entity_of, flow, places, shape, shown
from forge_cli.manifest.shape.language import owners


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ((), "the manifest"),
        (("roles",), "'roles'"),
        (("budget", "cost_usd"), "'cost_usd' of 'budget'"),
        (("work_items", "review"), "item 'review'"),
        (("work_items", "design", "sub_tasks", "api"), "sub-task 'design.api'"),
        (("work_items", "review", "run", 1), "entry 2 of 'run' of item 'review'"),
        (("roles", "builder", "handler"), "the handler of role 'builder'"),
        (("roles", "builder", "handler", "argv"), "'argv' of the handler of role 'builder'"),
        (("delegations", "delegation-1", "scope"), "'scope' of delegation 'delegation-1'"),
        (("roles", "r\u0435view"), "role 'r\\u0435view'"),
    ],
)
def test_places_are_described_from_the_inside_out(path: Path, words: str) -> None:
    assert describe(path) == words


@pytest.mark.parametrize(
    ("path", "entity"),
    [
        (("work_items", "a", "run", 0), ("work_items", "a")),
        (("work_items", "a", "sub_tasks", "b", "run"), ("work_items", "a", "sub_tasks", "b")),
        (("budget", "cost_usd"), ()),
    ],
)
def test_a_path_leads_into_an_entity(path: Path, entity: Path) -> None:
    assert entity_of(path) == entity


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (None, "null"),
        (True, "true or false"),
        (3, "whole number"),
        (3.0, "number"),
        ("3", "text"),
        ([], "list"),
        ({}, "mapping"),
    ],
)
def test_values_have_the_language_s_words_for_types(value: Any, word: str) -> None:
    assert shape(value) == word


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (["build"], "[build]"),
        ({"a": [1, True, None]}, "{a: [1, true, null]}"),
        ("pytest -q", '"pytest -q"'),
        (["x" * 100], "[" + "x" * 56 + "..."),
    ],
)
def test_values_are_written_as_they_can_be_typed(value: Any, text: str) -> None:
    assert flow(value) == text


def test_names_are_shown_without_characters_that_look_like_others() -> None:
    assert shown("a\u202eb") == "a\\u202eb"


def test_every_mapping_of_the_language_has_a_name() -> None:
    for key, titles in owners().items():
        assert places(titles), key
