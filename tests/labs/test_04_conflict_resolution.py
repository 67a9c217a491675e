"""Lab 04: the least risky, best evidenced proposal wins; the irreversible needs approval."""

from collections.abc import Callable, Iterable

import pytest

from forge_cli.multiagent.conflicts import Proposal, Resolution, resolve

Resolve = Callable[[Iterable[Proposal]], Resolution]

FLAG = Proposal("builder", "ship behind a flag", "reversible", 2)
DROP = Proposal("database", "drop the old table", "irreversible", 9)


def unapproved_irreversible_ones_need_approval(resolving: Resolve) -> None:
    alone = Proposal("operator", "force-push", "irreversible", 4)
    assert resolving([DROP, alone]) == Resolution(None, "approval_required")


def test_unapproved_irreversible_proposal_cannot_win() -> None:
    assert resolve([DROP, FLAG]) == Resolution(FLAG, "lowest_risk_then_evidence")


def test_all_irreversible_proposals_require_approval() -> None:
    unapproved_irreversible_ones_need_approval(resolve)


def test_equal_risk_prefers_more_evidence() -> None:
    tested = Proposal("tester", "change with tests", "reversible", 5)
    assert resolve([FLAG, tested]).winner == tested


def test_the_archivist_wins_over_keeping_documents_for_ever() -> None:
    officer = Proposal("compliance-officer", "keep for ever", "irreversible", 7)
    archivist = Proposal("archivist", "keep 7 years, then archive", "reversible", 3)
    assert resolve([officer, archivist]).winner == archivist


def without_dropping(proposals: Iterable[Proposal]) -> Resolution:
    """The fault: irreversible proposals take part without approval."""
    return resolve(proposals, approval_for_irreversible=True)


def test_undropped_irreversible_proposals_are_caught() -> None:
    with pytest.raises(AssertionError):
        unapproved_irreversible_ones_need_approval(without_dropping)
