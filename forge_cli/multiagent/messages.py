"""Messages between agents: who asked whom, and whether an answer answers."""

from collections.abc import Mapping
from dataclasses import dataclass

from forge_cli.multiagent.terms import Json
from forge_cli.multiagent.values import copied

KINDS = ("request", "result", "error", "cancel")
RESPONSES = frozenset({"result", "error"})


@dataclass(frozen=True, slots=True)
class AgentMessage:
    """One message. `correlation_id` is the same on a request and on what answers it."""

    message_id: str
    correlation_id: str
    sender: str
    recipient: str
    kind: str
    payload: Mapping[str, Json]

    def __post_init__(self) -> None:
        object.__setattr__(self, "payload", copied(self.payload) if self.payload else {})


def create_message(
    message_id: str,
    correlation_id: str,
    sender: str,
    recipient: str,
    kind: str,
    payload: Mapping[str, Json],
) -> AgentMessage:
    """A message whose parties are named and differ, of one of the four `KINDS`.

    `ValueError` for a blank id, correlation id, sender or recipient, for a message to its own
    sender, and for any other kind.
    """
    message = AgentMessage(message_id, correlation_id, sender, recipient, kind, payload)
    for field in ("message_id", "correlation_id", "sender", "recipient"):
        if not getattr(message, field).strip():
            raise ValueError(f"message {message_id!r} has a blank {field}")
    if sender == recipient:
        raise ValueError(
            f"message {message_id!r} is from {sender!r} to itself; name another recipient"
        )
    if kind not in KINDS:
        known = ", ".join(KINDS)
        raise ValueError(
            f"message {message_id!r} is of the unknown kind {kind!r}; the kinds are {known}"
        )
    return message


def correlate(request: AgentMessage, response: AgentMessage) -> bool:
    """Whether the response answers the request: same correlation, parties swapped, kinds fit."""
    return (
        request.kind == "request"
        and response.kind in RESPONSES
        and response.correlation_id == request.correlation_id
        and response.sender == request.recipient
        and response.recipient == request.sender
    )
