"""Behaviour, section 4: which proposal wins."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge_cli.multiagent.conflicts import RISK_ORDER, Proposal, Resolution, resolve

PROPOSALS = st.builds(
    Proposal,
    agent_id=st.sampled_from(["a", "b", "c"]),
    value=st.sampled_from([None, 1, "x", [1], {"k": 1}]),
    risk=st.sampled_from(sorted(RISK_ORDER)),
    evidence_count=st.integers(0, 2),
)


def test_risks_are_ordered() -> None:
    assert RISK_ORDER == {"read_only": 0, "reversible": 1, "irreversible": 2}


def test_no_proposals_have_no_winner() -> None:
    assert resolve([]) == Resolution(None, "no_proposals")


def test_irreversible_ones_alone_require_approval() -> None:
    assert resolve([Proposal("a", 1, "irreversible", 9)]) == Resolution(None, "approval_required")


def test_approval_lets_an_irreversible_one_win() -> None:
    only = Proposal("a", 1, "irreversible", 0)
    assert resolve([only], approval_for_irreversible=True) == Resolution(
        only, "lowest_risk_then_evidence"
    )


def test_lower_risk_wins_over_more_evidence() -> None:
    safe, proven = Proposal("z", 1, "read_only", 0), Proposal("a", 2, "reversible", 9)
    assert resolve([proven, safe]).winner == safe


def test_approval_does_not_put_an_irreversible_one_first() -> None:
    safe, final = Proposal("z", 1, "reversible", 0), Proposal("a", 2, "irreversible", 9)
    assert resolve([final, safe], approval_for_irreversible=True).winner == safe


def test_at_equal_risk_more_evidence_wins() -> None:
    more, less = Proposal("z", 1, "reversible", 3), Proposal("a", 2, "reversible", 2)
    assert resolve([less, more]).winner == more


def test_at_equal_evidence_the_first_agent_by_name_wins() -> None:
    first, second = Proposal("a", 1, "reversible", 3), Proposal("b", 2, "reversible", 3)
    assert resolve([second, first]).winner == first


@pytest.mark.parametrize("others", [[], [Proposal("a", 1, "read_only", 1)]])
def test_an_unknown_risk_is_refused(others: list[Proposal]) -> None:
    with pytest.raises(ValueError, match="'b' has the unknown risk 'harmless'; the risks are read"):
        resolve([*others, Proposal("b", 1, "harmless", 1)])


@given(st.lists(PROPOSALS, max_size=4), st.booleans())
def test_the_order_of_the_list_does_not_matter(proposals: list[Proposal], approved: bool) -> None:
    resolutions = [resolve(order, approved) for order in permutations(proposals)]
    assert all(resolution == resolutions[0] for resolution in resolutions)


def test_a_later_change_to_the_value_is_not_seen() -> None:
    value = [1]
    proposal = Proposal("a", value, "read_only", 1)
    value.append(2)
    assert proposal.value == [1]
