"""One fault is one finding: of its rule, exactly where it was made, and nothing else is found."""

import pytest

from tests.corpus import shapes
from tests.corpus.trial import Maker, differences, single

MAKERS: dict[str, tuple[Maker, int]] = {
    "a misspelt key": (shapes.misspelt, 200),
    "a value of another type": (shapes.mistyped, 800),
    "a key without a value": (shapes.nulls, 200),
    "a key that is there twice": (shapes.doubled, 250),
    "a key that is not there": (shapes.missing, 30),
}
"""Each kind of fault, and how many of it there are at least."""


@pytest.mark.parametrize("kind", MAKERS)
def test_a_fault_is_found_where_it_was_made_and_nothing_else_is(kind: str) -> None:
    make, least = MAKERS[kind]
    trials = list(single(make))
    assert len(trials) >= least
    assert differences(trials) == []
