"""Lab 01: a delegation never holds more than the role it goes to."""

from collections.abc import Callable, Iterable, Mapping

import pytest

from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.roles import AgentRole, Delegation, delegate

Delegate = Callable[
    [AgentRole, str, str, Mapping[str, Json], Iterable[str], Iterable[str]], Delegation
]

BUILDER = AgentRole(
    "builder", frozenset({"repository-read", "repository-write"}), frozenset({"diff", "tests"})
)


def asking_for_more_is_refused(delegating: Delegate) -> None:
    with pytest.raises(ValueError, match=r"exceeds.*'deploy'"):
        delegating(
            BUILDER,
            "feature-1",
            "add the feature",
            {"feature": "dark mode"},
            {"repository-write", "deploy"},
            {"diff"},
        )


def test_delegation_is_bounded_by_role_capabilities() -> None:
    delegation = delegate(
        BUILDER, "feature-1", "change code", {"feature": "x"}, {"repository-write"}, {"diff"}
    )
    assert delegation.allowed_capabilities == {"repository-write"}
    assert delegation.allowed_capabilities <= BUILDER.capabilities


def test_delegation_cannot_escalate_permissions() -> None:
    asking_for_more_is_refused(delegate)


def test_output_contract_must_be_satisfiable() -> None:
    with pytest.raises(ValueError, match=r"output.*'release-notes'"):
        delegate(BUILDER, "feature-1", "change code", {}, set(), {"diff", "release-notes"})


def test_a_researcher_of_an_office_cannot_be_asked_to_write() -> None:
    researcher = AgentRole("researcher", frozenset({"read"}), frozenset({"summary"}))
    with pytest.raises(ValueError, match=r"exceeds.*'write'"):
        delegate(researcher, "brief-1", "write the brief", {}, {"write"}, {"summary"})


def without_a_subset_check(
    role: AgentRole,
    delegation_id: str,
    goal: str,
    inputs: Mapping[str, Json],
    allowed_capabilities: Iterable[str],
    expected_output_keys: Iterable[str],
) -> Delegation:
    """The fault: capabilities are granted as asked for."""
    allowed, expected = frozenset(allowed_capabilities), frozenset(expected_output_keys)
    return Delegation(delegation_id, role.role_id, goal, inputs, allowed, expected)


def test_an_unchecked_subset_is_caught() -> None:
    with pytest.raises(pytest.fail.Exception):
        asking_for_more_is_refused(without_a_subset_check)
