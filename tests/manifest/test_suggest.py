"""Suggestions: other tools' words first, then typing errors; rather none than a wrong one."""

import pytest

from forge_cli.manifest.shape.language import keys, owners, schema
from forge_cli.manifest.suggest import Suggestion, nearest, suggest

TOP = keys(schema())
ITEM = ("role", "run", "goal", "capabilities", "depends_on", "when", "for_each", "on_failure")


@pytest.mark.parametrize(
    ("word", "whose", "meant"),
    [
        ("needs", "GitHub's", "depends_on"),
        ("if", "GitHub's", "when"),
        ("matrix", "GitHub's", "for_each"),
        ("with_items", "Ansible's", "for_each"),
        ("tools", "other tools'", "capabilities"),
        ("prompt", "other tools'", "goal"),
    ],
)
def test_words_of_other_tools_are_known(word: str, whose: str, meant: str) -> None:
    assert suggest(word, ITEM) == Suggestion(meant, whose)


@pytest.mark.parametrize(("word", "meant"), [("jobs", "work_items"), ("agents", "roles")])
def test_words_of_other_tools_are_known_at_the_top(word: str, meant: str) -> None:
    found = suggest(word, TOP)
    assert found is not None
    assert found.word == meant


@pytest.mark.parametrize(
    ("word", "known", "meant"),
    [
        ("work_item", TOP, "work_items"),
        ("rols", TOP, "roles"),
        ("onfailure", ITEM, "on_failure"),
        ("max_deepth", ("to", "capabilities", "depth"), "depth"),
        ("dependson", ITEM, "depends_on"),
        ("gaol", ITEM, "goal"),
    ],
)
def test_typing_errors_are_recognised(word: str, known: tuple[str, ...], meant: str) -> None:
    assert suggest(word, known) == Suggestion(meant)


@pytest.mark.parametrize("word", ["zzz", "x", "", "completely-different", "a" * 1000])
def test_a_word_that_is_like_none_has_no_suggestion(word: str) -> None:
    assert suggest(word, TOP) is None


def test_a_part_that_several_words_have_suggests_none_of_them() -> None:
    assert suggest("limits_max", ("max_concurrency", "max_joint_agents")) is None


def test_no_word_of_the_language_is_near_another_tools_word_by_chance() -> None:
    assert nearest("needs", tuple(owners())) is None
