"""Behaviour, section 6: what the outcomes amount to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge_cli.multiagent.resilience import AgentOutcome, CollaborationDecision, assess_outcomes

Ends = dict[str, str]


def assess(ends: Ends, required: set[str], minimum: int) -> CollaborationDecision:
    outcomes = [AgentOutcome(role, status) for role, status in ends.items()]
    return assess_outcomes(outcomes, required, minimum)


def test_all_succeeded_is_complete() -> None:
    assert assess({"a": "succeeded"}, {"a"}, 1) == CollaborationDecision("complete", ())


@pytest.mark.parametrize(
    "status", ["failed", "denied", "cancelled", "blocked", "skipped", "SUCCEEDED"]
)
def test_any_other_status_is_no_success(status: str) -> None:
    assert assess({"a": "succeeded", "b": status}, {"a"}, 1).status == "degraded"
    assert assess({"a": status}, {"a"}, 0) == CollaborationDecision("failed", ("a",))


def test_missing_required_roles_are_named_sorted() -> None:
    decision = assess({"m": "succeeded", "a": "failed"}, {"z", "a", "m"}, 0)
    assert decision == CollaborationDecision("failed", ("a", "z"))


def test_fewer_successes_than_the_minimum_fail_without_a_missing_role() -> None:
    assert assess({"a": "succeeded", "b": "failed"}, {"a"}, 2) == CollaborationDecision(
        "failed", ()
    )


def test_successes_are_counted_by_role() -> None:
    twice = [AgentOutcome("a", "succeeded"), AgentOutcome("a", "succeeded")]
    assert assess_outcomes(twice, set(), 2).status == "failed"


def test_a_role_that_also_failed_once_is_successful_but_degrades() -> None:
    mixed = [AgentOutcome("a", "failed"), AgentOutcome("a", "succeeded")]
    assert assess_outcomes(mixed, {"a"}, 1) == CollaborationDecision("degraded", ())


def test_nothing_asked_and_nothing_done_is_complete() -> None:
    assert assess({}, set(), 0) == CollaborationDecision("complete", ())


@given(
    st.dictionaries(st.sampled_from("abcd"), st.sampled_from(["succeeded", "failed"])),
    st.sets(st.sampled_from("abcd")),
    st.integers(0, 4),
)
def test_no_other_success_covers_a_required_role(
    ends: Ends, required: set[str], minimum: int
) -> None:
    decision = assess(ends, required, minimum)
    uncovered = {role for role in required if ends.get(role) != "succeeded"}
    assert set(decision.missing_required) == uncovered
    assert not uncovered or decision.status == "failed"
