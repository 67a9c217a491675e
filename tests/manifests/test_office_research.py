"""Quotes are word for word, the brief stands on them, and the checker finds what does not."""

from collections.abc import Callable
from typing import Any

import pytest

Handler = Callable[[str, str], Callable[..., dict[str, Any]]]

FILE = "office-research/handlers.py"
SOURCES = "manifests/office-research/sources"


@pytest.fixture
def claims(handler: Handler) -> list[list[dict[str, Any]]]:
    collect = handler(FILE, "collect")
    names = ("costs", "rooms", "survey")
    return [collect(source=f"{SOURCES}/{name}.md")["claims"] for name in names]


def test_statements_without_a_figure_are_not_claims(claims: list[list[dict[str, Any]]]) -> None:
    assert [claim["line"] for claim in claims[2]] == [3, 4, 5, 6]


def test_a_claim_is_its_source_word_for_word(claims: list[list[dict[str, Any]]]) -> None:
    assert claims[0][0] == {
        "source": "costs.md",
        "line": 3,
        "quote": "Rent and heating of one floor cost 19400 euros a month.",
        "figures": [19400],
    }


def test_the_brief_reckons_with_the_claims(
    handler: Handler, claims: list[list[dict[str, Any]]]
) -> None:
    answer = handler(FILE, "write")(question="Which?", floors=4, claims=claims)
    assert answer["brief"].startswith("# Which?\n\nOne floor could be given up.\n")
    assert "89 desks stay free on the busiest day; a floor has 65" in answer["brief"]
    assert answer["cited"] == ["rooms.md:3", "rooms.md:4", "costs.md:3", "rooms.md:6"]


def test_other_figures_give_the_other_answer(
    handler: Handler, claims: list[list[dict[str, Any]]]
) -> None:
    busiest = next(claim for claim in claims[1] if "busiest" in claim["quote"])
    busiest["figures"] = [201]
    answer = handler(FILE, "write")(question="Which?", floors=4, claims=claims)
    assert "One floor cannot be given up." in answer["brief"]


def test_the_checker_finds_nothing_in_true_quotes(
    handler: Handler, claims: list[list[dict[str, Any]]]
) -> None:
    answer = handler(FILE, "check")(folder=SOURCES, claims=claims, cited=["rooms.md:3"])
    assert answer == {"checked": 11, "misquoted": [], "unfounded": []}


def test_the_checker_names_a_misquote_and_an_unfounded_citation(
    handler: Handler, claims: list[list[dict[str, Any]]]
) -> None:
    claims[0][0]["quote"] = "Rent and heating of one floor cost 1940 euros a month."
    answer = handler(FILE, "check")(folder=SOURCES, claims=claims, cited=["rooms.md:9"])
    assert answer["misquoted"] == ["costs.md:3"]
    assert answer["unfounded"] == ["rooms.md:9"]
