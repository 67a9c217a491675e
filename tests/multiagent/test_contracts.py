"""What holds for every class of the seven contract modules."""

from dataclasses import FrozenInstanceError, fields, is_dataclass
from typing import Any

import pytest

from forge_cli.multiagent.conflicts import Proposal, Resolution
from forge_cli.multiagent.messages import AgentMessage
from forge_cli.multiagent.orchestrator import CollaborationRun, WorkItem
from forge_cli.multiagent.resilience import AgentOutcome, CollaborationDecision
from forge_cli.multiagent.roles import AgentRole, Delegation
from forge_cli.multiagent.shared_state import StateSnapshot
from forge_cli.multiagent.supervisor import WorkerStatus

ROLE = AgentRole("reader", frozenset({"read"}), frozenset({"notes"}))
PROPOSAL = Proposal("a", 1, "read_only", 0)

CONTRACTS = {
    AgentRole: {"role_id": "r", "capabilities": {"read"}, "output_keys": {"notes"}},
    Delegation: {
        "delegation_id": "d",
        "role_id": "r",
        "goal": "g",
        "inputs": {},
        "allowed_capabilities": {"read"},
        "expected_output_keys": {"notes"},
    },
    AgentMessage: {
        "message_id": "m",
        "correlation_id": "c",
        "sender": "a",
        "recipient": "b",
        "kind": "request",
        "payload": {},
    },
    StateSnapshot: {"version": 0, "values": {}},
    Proposal: {"agent_id": "a", "value": 1, "risk": "read_only", "evidence_count": 0},
    Resolution: {"winner": PROPOSAL, "reason": "lowest_risk_then_evidence"},
    WorkerStatus: {"role": ROLE, "active_tasks": 0},
    AgentOutcome: {"role_id": "r", "status": "succeeded"},
    CollaborationDecision: {"status": "complete", "missing_required": ()},
    WorkItem: {"item_id": "i", "required_capabilities": {"read"}, "required": True},
    CollaborationRun: {"status": "complete", "assignments": (), "state_version": 0},
}

each_contract = pytest.mark.parametrize(
    ("contract", "values"), CONTRACTS.items(), ids=lambda part: getattr(part, "__name__", "")
)


@each_contract
def test_its_fields_come_first_in_this_order_and_further_ones_have_defaults(
    contract: type[Any], values: dict[str, Any]
) -> None:
    made = contract(*values.values())
    assert is_dataclass(made)
    assert [f.name for f in fields(made)][: len(values)] == list(values)
    assert {name: getattr(made, name) for name in values} == values


@each_contract
def test_it_is_frozen(contract: type[Any], values: dict[str, Any]) -> None:
    made = contract(**values)
    with pytest.raises(FrozenInstanceError):
        setattr(made, next(iter(values)), "changed")


@each_contract
def test_sets_come_back_frozen_and_apart_from_the_callers(
    contract: type[Any], values: dict[str, Any]
) -> None:
    given = {key: set(v) if isinstance(v, set) else v for key, v in values.items()}
    made = contract(**given)
    for key, value in given.items():
        if isinstance(value, set):
            value.add("more")
            assert getattr(made, key) == values[key]
            assert isinstance(getattr(made, key), frozenset)
