"""Behaviour, section 1: what a role may be asked for."""

from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from forge_cli.multiagent.roles import AgentRole, Delegation, delegate

RESEARCHER = AgentRole("researcher", frozenset({"read", "search"}), frozenset({"summary"}))


def ask(**changes: Any) -> Delegation:
    asked: dict[str, Any] = {
        "delegation_id": "d-1",
        "goal": "summarise the change",
        "inputs": {"change": "token refresh"},
        "allowed_capabilities": {"read"},
        "expected_output_keys": {"summary"},
    }
    return delegate(RESEARCHER, **(asked | changes))


def test_a_delegation_holds_what_was_asked_for() -> None:
    assert ask() == Delegation(
        "d-1",
        "researcher",
        "summarise the change",
        {"change": "token refresh"},
        frozenset({"read"}),
        frozenset({"summary"}),
    )


@pytest.mark.parametrize("blank", ["", " ", "\t\n"])
def test_a_blank_id_is_refused(blank: str) -> None:
    with pytest.raises(ValueError, match="'researcher' needs an id"):
        ask(delegation_id=blank)


@pytest.mark.parametrize("blank", ["", " ", "\t\n"])
def test_a_blank_goal_is_refused(blank: str) -> None:
    with pytest.raises(ValueError, match="'d-1' needs a goal"):
        ask(goal=blank)


def test_capabilities_beyond_the_roles_exceed_it_and_are_named() -> None:
    with pytest.raises(ValueError, match="exceeds") as error:
        ask(allowed_capabilities={"read", "write", "deploy"})
    assert str(error.value) == (
        "delegation 'd-1' exceeds role 'researcher', which does not hold 'deploy', 'write';"
        " it holds 'read', 'search'"
    )


def test_output_keys_beyond_the_roles_are_refused_and_named() -> None:
    with pytest.raises(ValueError, match="output") as error:
        ask(expected_output_keys={"summary", "diff"})
    assert str(error.value) == (
        "delegation 'd-1' expects output that role 'researcher' does not produce: 'diff';"
        " it produces 'summary'"
    )


def test_an_empty_grant_allows_nothing() -> None:
    assert ask(allowed_capabilities=set()).allowed_capabilities == frozenset()


def test_a_role_without_capabilities_can_be_given_none() -> None:
    role = AgentRole("clerk", frozenset(), frozenset())
    with pytest.raises(ValueError, match="it holds nothing"):
        delegate(role, "d-1", "file it", {}, {"read"}, set())


def test_sets_come_back_as_frozensets() -> None:
    role = AgentRole("builder", {"read"}, ["diff"])  # type: ignore[arg-type]
    assert (role.capabilities, role.output_keys) == (frozenset({"read"}), frozenset({"diff"}))
    delegation = delegate(role, "d-1", "build", {}, ["read"], ["diff"])
    assert type(delegation.allowed_capabilities) is frozenset
    assert type(delegation.expected_output_keys) is frozenset


def test_a_later_change_by_the_caller_is_not_seen() -> None:
    capabilities, inputs = {"read"}, {"files": ["a"]}
    role = AgentRole("reader", capabilities, frozenset())  # type: ignore[arg-type]
    delegation = delegate(role, "d-1", "read", inputs, capabilities, set())
    capabilities.add("write")
    inputs["files"].append("b")
    assert role.capabilities == delegation.allowed_capabilities == frozenset({"read"})
    assert delegation.inputs == {"files": ["a"]}


def test_a_text_is_not_taken_for_capabilities() -> None:
    with pytest.raises(ValueError, match="capabilities of role 'reader' must be a set"):
        AgentRole("reader", "read", frozenset())  # type: ignore[arg-type]


def test_contracts_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        RESEARCHER.role_id = "root"  # type: ignore[misc]
