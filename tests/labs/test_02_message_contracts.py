"""Lab 02: an answer counts only if it comes from the agent that was asked."""

from collections.abc import Callable

import pytest

from forge_cli.multiagent.messages import AgentMessage, correlate, create_message

Correlate = Callable[[AgentMessage, AgentMessage], bool]

REQUEST = create_message("m-1", "feature-1", "supervisor", "builder", "request", {"goal": "build"})


def answer(sender: str, recipient: str) -> AgentMessage:
    return create_message("m-2", "feature-1", sender, recipient, "result", {"diff": "..."})


def only_the_asked_agent_answers(correlating: Correlate) -> None:
    assert correlating(REQUEST, answer("builder", "supervisor"))
    assert not correlating(REQUEST, answer("reviewer", "supervisor"))
    assert not correlating(REQUEST, answer("builder", "reviewer"))


def test_response_must_reverse_sender_and_recipient() -> None:
    only_the_asked_agent_answers(correlate)


def test_unknown_message_kind_is_rejected() -> None:
    with pytest.raises(ValueError, match="unknown kind 'gossip'"):
        create_message("m-1", "feature-1", "supervisor", "builder", "gossip", {})


def test_self_addressed_message_is_rejected() -> None:
    with pytest.raises(ValueError, match="'builder' to itself"):
        create_message("m-1", "feature-1", "builder", "builder", "request", {})


def test_a_reviewer_cannot_answer_what_the_researcher_of_a_song_was_asked() -> None:
    asked = create_message("m-1", "music-1", "supervisor", "researcher", "request", {})
    answered = create_message("m-2", "music-1", "reviewer", "supervisor", "result", {})
    assert not correlate(asked, answered)


def without_the_sender(request: AgentMessage, response: AgentMessage) -> bool:
    """The fault: whoever answers under the right correlation id is believed."""
    return (
        request.kind == "request"
        and response.kind in ("result", "error")
        and request.correlation_id == response.correlation_id
        and request.sender == response.recipient
    )


def test_an_ignored_sender_is_caught() -> None:
    with pytest.raises(AssertionError):
        only_the_asked_agent_answers(without_the_sender)
