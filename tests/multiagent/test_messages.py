"""Behaviour, section 2: which messages exist, and which answer which."""

from dataclasses import replace
from typing import Any

import pytest

from forge_cli.multiagent.messages import AgentMessage, correlate, create_message

REQUEST = AgentMessage("m-1", "c-1", "supervisor", "researcher", "request", {})
RESULT = AgentMessage("m-2", "c-1", "researcher", "supervisor", "result", {})


def create(**changes: Any) -> AgentMessage:
    fields = {
        "message_id": "m-1",
        "correlation_id": "c-1",
        "sender": "supervisor",
        "recipient": "researcher",
        "kind": "request",
        "payload": {"goal": "look"},
    }
    return create_message(**(fields | changes))


def test_a_message_holds_what_it_was_made_of() -> None:
    assert create() == AgentMessage(
        "m-1", "c-1", "supervisor", "researcher", "request", {"goal": "look"}
    )


@pytest.mark.parametrize("field", ["message_id", "correlation_id", "sender", "recipient"])
@pytest.mark.parametrize("blank", ["", " \n"])
def test_blank_identity_fields_are_refused_by_name(field: str, blank: str) -> None:
    with pytest.raises(ValueError, match=f"blank {field}"):
        create(**{field: blank})


def test_a_message_to_its_own_sender_is_refused() -> None:
    with pytest.raises(ValueError, match="from 'supervisor' to itself"):
        create(recipient="supervisor")


@pytest.mark.parametrize("kind", ["request", "result", "error", "cancel"])
def test_the_four_kinds_are_accepted(kind: str) -> None:
    assert create(kind=kind).kind == kind


@pytest.mark.parametrize("kind", ["", "Request", "reply", "request "])
def test_other_kinds_are_refused(kind: str) -> None:
    with pytest.raises(ValueError, match="the kinds are request, result, error, cancel"):
        create(kind=kind)


def test_a_later_change_to_the_payload_is_not_seen() -> None:
    payload = {"files": ["a"]}
    message = create(payload=payload)
    payload["files"].append("b")
    assert message.payload == {"files": ["a"]}


@pytest.mark.parametrize("kind", ["result", "error"])
def test_a_result_and_an_error_answer_a_request(kind: str) -> None:
    assert correlate(REQUEST, replace(RESULT, kind=kind))


@pytest.mark.parametrize("kind", ["request", "cancel"])
def test_other_kinds_answer_nothing(kind: str) -> None:
    assert not correlate(REQUEST, replace(RESULT, kind=kind))


@pytest.mark.parametrize("kind", ["result", "error", "cancel"])
def test_only_a_request_can_be_answered(kind: str) -> None:
    assert not correlate(replace(REQUEST, kind=kind), RESULT)


@pytest.mark.parametrize(
    "change", [{"correlation_id": "c-2"}, {"sender": "reviewer"}, {"recipient": "reviewer"}]
)
def test_an_answer_has_the_same_correlation_and_its_parties_swapped(change: dict[str, Any]) -> None:
    assert not correlate(REQUEST, replace(RESULT, **change))


def test_an_echo_of_the_request_is_no_answer() -> None:
    assert not correlate(REQUEST, replace(REQUEST, kind="result"))
