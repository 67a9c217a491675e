"""Lab 06: no number of other successes covers a required role."""

from collections.abc import Callable, Iterable

import pytest

from forge_cli.multiagent.resilience import AgentOutcome, CollaborationDecision, assess_outcomes

Assess = Callable[[Iterable[AgentOutcome], Iterable[str], int], CollaborationDecision]


def outcomes(**statuses: str) -> list[AgentOutcome]:
    return [AgentOutcome(role, status) for role, status in statuses.items()]


def a_missing_required_role_fails(assessing: Assess) -> None:
    ended = outcomes(builder="failed", researcher="succeeded", reviewer="succeeded")
    assert assessing(ended, {"builder"}, 2) == CollaborationDecision("failed", ("builder",))


def test_missing_required_role_fails_even_when_quorum_is_met() -> None:
    a_missing_required_role_fails(assess_outcomes)


def test_optional_failure_produces_degraded_success() -> None:
    ended = outcomes(builder="succeeded", reviewer="failed")
    assert assess_outcomes(ended, {"builder"}, 1) == CollaborationDecision("degraded", ())


def test_all_success_is_complete() -> None:
    ended = outcomes(builder="succeeded", reviewer="succeeded")
    assert assess_outcomes(ended, {"builder", "reviewer"}, 2) == CollaborationDecision(
        "complete", ()
    )


def test_a_delivery_without_its_builder_failed_though_two_succeeded() -> None:
    ended = outcomes(researcher="succeeded", builder="failed", reviewer="succeeded")
    decision = assess_outcomes(ended, ["builder"], minimum_successes=2)
    assert (decision.status, decision.missing_required) == ("failed", ("builder",))


def by_quorum_only(
    ended: Iterable[AgentOutcome], required_roles: Iterable[str], minimum_successes: int
) -> CollaborationDecision:
    """The fault: required roles are ignored."""
    return assess_outcomes(ended, (), minimum_successes)


def test_ignored_required_roles_are_caught() -> None:
    with pytest.raises(AssertionError):
        a_missing_required_role_fails(by_quorum_only)
