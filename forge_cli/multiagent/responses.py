"""Which responses count: from the agent that was asked, for the attempt that is current."""

from forge_cli.multiagent.messages import AgentMessage, correlate
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.run_state import RunState


def request(node: Node) -> AgentMessage:
    """The message that asked for the node's current attempt."""
    recipient = f"{node.item.role_id}#{node.item_id}"
    return AgentMessage(node.attempt_id, node.attempt_id, "run", recipient, "request", {})


def objection(state: RunState, attempt: str, sender: str, status: str) -> str:
    """Why a response must be ignored, or nothing if it answers a turn that is running.

    `sender` is the channel by which it came, never what the response says of itself.
    """
    node = state.running.get(attempt)
    if node is None:
        owner, _, number = attempt.removeprefix(f"{state.run_id}/").rpartition("/")
        known = state.nodes.get(owner)
        if known is None or not number.isdecimal() or int(number) > known.attempt:
            return "foreign: no such attempt was made"
        return "late: the attempt has ended"
    kind = "error" if status == "failed" else "result"
    asked = request(node)
    response = AgentMessage(f"{attempt}/response", attempt, sender, "run", kind, {})
    return (
        ""
        if correlate(asked, response)
        else f"foreign: {sender!r} was not asked, {asked.recipient!r} was"
    )
