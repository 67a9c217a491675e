"""Messages between agents: who asked whom, and whether an answer answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

KINDS = frozenset({"request", "result", "error", "cancel"})
RESPONSES = frozenset({"result", "error"})


@dataclass(frozen=True, slots=True)
class AgentMessage:
    """One message. `correlation_id` is the same on a request and on what answers it."""

    message_id: str
    correlation_id: str
    sender: str
    recipient: str
    kind: str
    payload: Mapping[str, Any]
