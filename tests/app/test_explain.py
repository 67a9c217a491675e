"""`forge explain`: every word that forge says can be asked for."""

import pytest

from forge_cli.app.explain import explain
from forge_cli.app.glossary import EXIT_CODES, ITEM_STATUSES, RUN_STATUSES
from forge_cli.errors import ForgeError
from forge_cli.manifest.rules import RULES
from forge_cli.manifest.shape.reference import entries


def test_a_rule_is_explained_by_its_documentation_and_examples() -> None:
    lines = explain("unknown-key")
    assert lines[0] == "unknown-key: rule, error"
    assert "Bad:" in lines
    assert "      needs: [build]" in lines
    assert not any("```" in line for line in lines)


def test_a_key_is_explained_with_its_place_and_an_example() -> None:
    assert explain("depends_on") == [
        "depends_on: key of items and sub-tasks",
        "  Items that must be accepted before.",
        "  example: depends_on: [build]",
    ]


def test_a_key_that_names_its_values_lists_them() -> None:
    assert "  one of: rerun, hold" in explain("on_crash")


def test_a_word_with_several_meanings_is_explained_in_all_of_them() -> None:
    heads = [line for line in explain("evidence") if line.startswith("evidence: ")]
    assert heads == [
        "evidence: key of delegations, items and sub-tasks",
        "evidence: key of 'settings'",
    ]


@pytest.mark.parametrize(
    "word", [*RULES, *entries(), *RUN_STATUSES, *ITEM_STATUSES, *map(str, EXIT_CODES)]
)
def test_every_word_can_be_asked_for_and_fits_a_terminal(word: str) -> None:
    lines = explain(word)
    assert lines[0].startswith(f"{word}: ")
    assert all(len(line) <= 100 for line in lines)


@pytest.mark.parametrize(
    ("word", "advice"),
    [
        ("unknown-kee", "did you mean  forge explain unknown-key?"),
        ("dependson", "did you mean  forge explain depends_on?"),
        ("99", "exit codes are 0, 1, 2, 3, 4, 5, 70, 130, 141, 143"),
        ("zzz", "the keys are in  forge schema, a rule stands in brackets behind its findings"),
    ],
)
def test_an_unknown_word_is_refused_with_advice(word: str, advice: str) -> None:
    with pytest.raises(ForgeError) as refusal:
        explain(word)
    assert str(refusal.value) == f"'{word}' is no rule, key, status or exit code; {advice}"
