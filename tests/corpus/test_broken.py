"""One fault is one finding: of its rule, exactly where it was made, and nothing else is found."""

import pytest

from tests.corpus.kinds import KINDS
from tests.corpus.trial import differences, single


@pytest.mark.parametrize("kind", KINDS)
def test_a_fault_is_found_where_it_was_made_and_nothing_else_is(kind: str) -> None:
    make, least = KINDS[kind]
    trials = list(single(make))
    assert len(trials) >= least
    assert differences(trials) == []
